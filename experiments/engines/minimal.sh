#!/bin/sh
# Plays the first legal move, of any game: the engine protocol in the shell, without another program.
# One position at a time (`batch` 1), and of its parts only the legal moves.

# The text of $1 between the first $2 and the next $3.
between() {
    rest=${1#*"$2"}
    found=${rest%%"$3"*}
}

while read -r message; do
    case $message in
    '{"hello":'*)
        echo '{"hello":{"protocol":1,"name":"first move in sh","wants":["legal"],"batch":1}}'
        ;;
    '{"think":'*)
        between "$message" '"game":' ,
        game=$found
        between "$message" '"legal":["' '"'
        move=$found
        # `id` is left out: the answer belongs to the last question.
        echo "{\"moves\":[{\"game\":$game,\"move\":\"$move\"}]}"
        ;;
    '{"quit":'*) exit ;;
    esac
done
