//! The table of all known ludemes: one row each, with parameters and type.
//!
//! A row reads `head Keyword parameter ...`; a parameter is `type`, `name=type` (by position) or `name:type` (by
//! label), with `?` if it is optional, `*` for one or a set in braces, `**` for one or more in a row or in braces.
//! `reference.txt` has a line for each row, with its meaning and an example.

use super::types::Type;

/// A row of the table: type and syntax of a ludeme.
#[derive(Debug, Clone, Copy)]
pub struct LudemeRow {
    /// The ludeme.
    pub word: Word,
    /// Its type.
    pub result: Type,
    /// Its syntax.
    pub signature: &'static str,
}

macro_rules! ludemes {
    ($($(#[$doc:meta])* $group:ident: $name:ident { $($word:ident $type:ident $signature:literal,)* })*) => {
        $($(#[$doc])* #[derive(Debug, Clone, Copy, PartialEq, Eq)] #[allow(missing_docs)] pub enum $name { $($word),* })*
        /// A ludeme.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(missing_docs)]
        pub enum Word { $($group($name)),* }
        /// The table.
        pub const ROWS: &[LudemeRow] = &[
            $($(LudemeRow { word: Word::$group($name::$word), result: Type::$type, signature: $signature },)*)*
        ];
    };
}

ludemes! {
    /// The frame of a game.
    Frame: FrameWord {
        Game Game "game text players equipment rules",
        PlayerCount Players "players int",
        PlayerList Players "players player*",
        Player Player "player dirs?",
        Equipment Equipment "equipment item*",
        Board Item "board graph use:sitetype?",
        SurakartaBoard Item "surakartaBoard graph loops:int?",
        PieceKind Item "piece text role dirs? moves?",
        Regions Item "regions name=text? role? sites=region*",
        Map Item "map name=text? pair*",
        Hand Item "hand role size:int?",
        Pair Pair "pair from=any to=any",
        Rules Rules "rules meta? start? play end?",
        PhasedRules Rules "rules meta? start? phases:phase* end?",
        Meta Meta "meta metarule*",
        Swap Metarule "swap",
        Start Start "start startrule*",
        Place Startrule "place text sites=region count:int?",
        PlaceAt Startrule "place text coord:region",
        Play Play "play moves",
        End End "end endrule*",
        EndIf Endrule "if bool result",
        Result Result "result role outcome",
        ByScore Result "byScore score*",
        Score Score "score role int",
        Phase Phase "phase text role? play end? nextphase*",
        NextPhase Nextphase "nextPhase role? bool? text?",
    }
    /// Graphs of boards.
    Graph: GraphWord {
        Square Graph "square int diagonals:diagonals?",
        Rectangle Graph "rectangle rows=int columns=int? diagonals:diagonals?",
        Hex Graph "hex int",
        HexDiamond Graph "hex Diamond int",
        HexRectangle Graph "hex Rectangle rows=int columns=int",
        Rotate Graph "rotate degrees=number graph",
        Shift Graph "shift x=number y=number graph",
        Intersect Graph "intersect graph**",
    }
    /// Parts of moves and effects.
    Clause: ClauseWord {
        To To "to place? if:bool? apply?",
        From From "from place? if:bool? level:int?",
        Between Between "between max=max? if:bool? apply?",
        Max Max "max int",
        Apply Apply "apply if:bool? effect",
        Then Then "then effect",
        Piece Piece "piece named*",
    }
    /// Generators of moves that a player may choose.
    Moves: MovesWord {
        Add Moves "move Add piece? to stack:bool? then?",
        Remove Moves "move Remove place then?",
        Step Moves "move Step from? dirs? to stack:bool? then?",
        Slide Moves "move Slide from? track=text? dirs? between? to? stack:bool? then?",
        Hop Moves "move Hop from? dirs? between? to stack:bool? then?",
        Leap Moves "move Leap from? walk forward:bool? rotations:bool? to then?",
        Select Moves "move Select from to? then?",
        Pass Moves "move Pass then?",
        Promote Moves "move Promote at=place piece role? then?",
        Propose Moves "move Propose text then?",
        Vote Moves "move Vote text then?",
        FromTo Moves "move from to then?",
        ForEachPiece Moves "forEach Piece names=text* container:int? moves? role? top:bool? then?",
        Or Moves "or moves** then?",
        Priority Moves "priority moves** then?",
        If Moves "if bool moves else=moves? then?",
        Do Moves "do moves ifAfterwards:bool then?",
    }
    /// Effects of a move, with it or after it.
    Effect: EffectWord {
        And Effect "and effect**",
        Or Effect "or effect**",
        Seq Effect "seq effect**",
        If Effect "if bool effect else=effect?",
        Remove Effect "remove place level:int? then?",
        RemoveNow Effect "move Remove place",
        PromoteNow Effect "move Promote at=place? piece role?",
        Vote Effect "vote text",
        FromTo Effect "fromTo from to stack:bool? then?",
        Add Effect "add piece? to then?",
        Promote Effect "promote at=place? piece role? then?",
        Attract Effect "attract from? dirs?",
        Custodial Effect "custodial from? dirs? between? to?",
        Surround Effect "surround from? dirs? between? to? except:int?",
        Enclose Effect "enclose from? dirs? between?",
        Directional Effect "directional from? dirs? to?",
        SetCounter Effect "set Counter int?",
        MoveAgain Effect "moveAgain",
        ForEachSite Effect "forEach Site sites=region effect",
    }
    /// Conditions.
    Bool: BoolWord {
        Empty Bool "is Empty site=int",
        Occupied Bool "is Occupied site=int",
        Enemy Bool "is Enemy who=int",
        Friend Bool "is Friend who=int",
        In Bool "is In place sites=region",
        Line Bool "is Line length=int dirs? exact:bool? through:int? if:bool?",
        Connected Bool "is Connected dirs? role? regions=region*",
        Prev Bool "is Prev role",
        IsMover Bool "is Mover who=int",
        Even Bool "is Even int",
        Odd Bool "is Odd int",
        Within Bool "is Within piece=named role? in:region",
        Threatened Bool "is Threatened piece=named? at:place?",
        Visited Bool "is Visited site=int",
        Proposed Bool "is Proposed text",
        Decided Bool "is Decided text",
        NoMoves Bool "no Moves role",
        NoPieces Bool "no Pieces role? piece=text?",
        AllSites Bool "all Sites sites=region if:bool",
        CanMove Bool "can Move moves",
        Equal Bool "= a=int b=int",
        Unequal Bool "!= a=int b=int",
        Less Bool "< a=int b=int",
        More Bool "> a=int b=int",
        AtMost Bool "<= a=int b=int",
        AtLeast Bool ">= a=int b=int",
        And Bool "and bool**",
        Or Bool "or bool**",
        Not Bool "not bool",
    }
    /// Numbers, sites and pieces among them.
    Int: IntWord {
        LastTo Int "last To",
        LastFrom Int "last From",
        From Int "from",
        To Int "to",
        Between Int "between",
        Site Int "site",
        Who Int "who at:place level:int?",
        What Int "what at:place level:int?",
        Where Int "where text role?",
        Id Int "id text role?",
        TopLevel Int "topLevel at:place",
        CountAt Int "count sitetype? at:place",
        CountMoves Int "count Moves",
        CountTurns Int "count Turns",
        CountPieces Int "count Pieces role? piece=text? in:region?",
        CountGroups Int "count Groups dirs? if:bool?",
        CountSites Int "count Sites in:region",
        CountLiberties Int "count Liberties at:int? dirs?",
        Counter Int "counter",
        Ahead Int "ahead place steps:int? dirs?",
        Column Int "column of:place",
        Row Int "row of:place",
        CentrePoint Int "centrePoint",
        HandSite Int "handSite role index=int?",
        MapEntry Int "mapEntry name=text? key=int",
        Score Int "score role",
        Mover Int "mover",
        Next Int "next",
        Max Int "max a=int b=int",
        Min Int "min a=int b=int",
        Plus Int "+ a=int b=int",
        Minus Int "- a=int b=int",
        Times Int "* a=int b=int",
    }
    /// Sets of sites.
    Region: RegionWord {
        Empty Region "sites Empty",
        Occupied Region "sites Occupied by:role container:any? component:text? components:text*",
        Top Region "sites Top",
        Bottom Region "sites Bottom",
        Left Region "sites Left",
        Right Region "sites Right",
        Corners Region "sites Corners",
        Centre Region "sites Centre",
        Board Region "sites Board",
        Outer Region "sites Outer",
        Inner Region "sites Inner",
        Perimeter Region "sites Perimeter",
        Side Region "sites Side dirs",
        Phase Region "sites Phase int",
        Around Region "sites Around place own=owned? dirs? if:bool?",
        Direction Region "sites Direction from:place dirs?",
        Column Region "sites Column int",
        Row Region "sites Row int",
        Hand Region "sites Hand role",
        OfRole Region "sites role name=text?",
        Named Region "sites text",
        Listed Region "sites sites=region*",
        Expand Region "expand sites=region steps:int? dirs?",
        Union Region "union region**",
        Intersection Region "intersection region**",
        Difference Region "difference a=region b=place",
        ForEachSite Region "forEach Site sites=region if:bool",
        Those Region "forEach sites=region if:bool",
    }
    /// Directions.
    Dirs: DirsWord {
        Directions Dirs "directions dirs",
        Towards Dirs "directions sitetype? from:place to:place",
    }
}
