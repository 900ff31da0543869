# -*- coding: utf-8 -*-
"""Correlations of Pente between board sizes, measured with the authors' own program.

Purpose: Schaul and Schmidhuber (Scalable Neural Networks for Board Games, ICANN 2009, Table 1) print the correlation
between the fitness of a random MDLSTM on one board size and on another. This script measures it with their library:
PyBrain as of spring 2009 and its C++ back end arac, which then was a folder of the same repository. Game, task,
players, the network's construction, `resizedTo` and the forward pass are theirs and run unchanged. Nothing of them is
copied into this file.

Needs: Python 2.7 with numpy 1.16.6 and scipy 1.2.3, g++, the headers of that Python, git, and a full clone of
https://github.com/pybrain/pybrain. Commits of it:
    9ffa0fc  2009-06-02 "MDLSTM bugfix", the version used (its arac/ was removed by a028833)
    7f49ae5  2009-05-19 Pente: environment and task
    36d3cf3  2009-05-19 the example of Pente (convolutional network, random opponent, Gibbs choice at temperature 1)
    a0554bc  2009-02-16 a bug fix: before it, rows along one diagonal did not count (`--gomoku a0554bc^`)
Licence of PyBrain, of which arac was a part: BSD, 3 clauses.

Usage:
    python2.7 pente_by_pybrain.py PYBRAIN_CLONE [--sizes 5,7,9,11] [--networks 100] [--games 40] [--csv FILE] ...
    python2.7 pente_by_pybrain.py --table FILE         prints the correlations of a CSV that this script wrote

What is changed at run time, and why:
    * `pylab` (plots) is a stub, and `scipy.linalg.basic.norm` is put back, as newer scipys moved it;
    * the BLAS routine that arac calls, cblas_dgemv, is a loop of a few lines;
    * with `--gates both`, the loop that squashes forget gates in arac's mdlstm.cpp is repaired (see GATES).
Weights are N(0, 1) by the library's `randomize()`, with the network's number as the seed of numpy. Games have the seed
(network, size, as text). The check of each run compares arac with the library's Python network on random boards.
"""

from __future__ import print_function

import argparse
import csv
import os
import random
import subprocess
import sys
import sysconfig
import tempfile
import time
import types

COMMIT = '9ffa0fc96afea09b133f296c64bdfb89cc4913f6'

# arac squashes only the first `size` of `size * _timedim` forget gates, so that in two dimensions the second gate is 0.
GATES = ('forget_gate_squashed()[timestep()][i] = \\\n'
         '            gate_squasher(forget_gate_unsquashed()[timestep()][i]);',
         'for (int d = 0; d < _timedim; d++) forget_gate_squashed()[timestep()][d * size + i] = \\\n'
         '            gate_squasher(forget_gate_unsquashed()[timestep()][d * size + i]);')

CBLAS = '''#pragma once
enum { CblasRowMajor = 101, CblasNoTrans = 111 };
static inline void cblas_dgemv(int, int, int rows, int columns, double alpha, const double *a, int width,
                               const double *x, int, double beta, double *y, int)
{
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int j = 0; j < columns; j++) sum += a[i * width + j] * x[j];
        y[i] = beta * y[i] + alpha * sum;
    }
}
'''


def unpack(clone, folder, gates, gomoku):
    """Writes the library's files of 2009 into a folder and compiles arac."""
    archive = subprocess.Popen(['git', '-C', clone, 'archive', COMMIT, 'pybrain', 'arac'], stdout=subprocess.PIPE)
    subprocess.check_call(['tar', 'x', '-C', folder], stdin=archive.stdout)
    assert archive.wait() == 0, 'no commit %s in %s' % (COMMIT, clone)
    if gomoku:
        path = 'pybrain/rl/environments/twoplayergames/gomoku.py'
        older = subprocess.check_output(['git', '-C', clone, 'show', gomoku + ':' + path])
        open(os.path.join(folder, path), 'wb').write(older)
    arac = os.path.join(folder, 'arac')
    if gates == 'both':
        path = os.path.join(arac, 'src/cpp/structure/modules/mdlstm.cpp')
        text = open(path).read().replace('\r', '')
        assert text.count(GATES[0]) == 1
        open(path, 'w').write(text.replace(*GATES))
    open(os.path.join(arac, 'cblas.h'), 'w').write(CBLAS)
    sources = [os.path.join(arac, 'src/swig/cppbridge_wrap.cc')]
    for where, _, names in os.walk(os.path.join(arac, 'src/cpp')):
        sources += [os.path.join(where, name) for name in names if name.endswith('.cpp') and 'tests' not in where]
    import numpy
    subprocess.check_call(['g++', '-O2', '-fPIC', '-shared', '-w', '-fpermissive', '-I', arac,
                           '-I', sysconfig.get_paths()['include'], '-I', numpy.get_include(),
                           '-o', os.path.join(arac, 'src/python/arac/_cppbridge.so')] + sorted(sources))
    sys.path[:0] = [folder, os.path.join(arac, 'src/python')]


def stand_in():
    """Fills in what the library of 2009 imports and today's packages lack."""
    class Plots(types.ModuleType):
        __all__ = []

        def __getattr__(self, name):
            return lambda *args, **settings: None
    import scipy.linalg.basic
    scipy.linalg.basic.norm = scipy.linalg.norm
    sys.modules['pylab'] = Plots('pylab')


def rules_hold(folder):
    """Runs the library's own test of Pente."""
    import doctest
    text = open(os.path.join(folder, 'pybrain/tests/unittests/test_pente.py')).read().replace('\r', '').split('"""')[1]
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(doctest.DocTestParser().get_doctest(text, {}, 'test_pente', None, 0))
    return 'test_pente: %d of %d lines failed' % tuple(runner.summarize())


def largest_gap(slow, fast, boards=20):
    """The largest difference between the outputs of two networks on random boards."""
    import numpy
    gap = 0
    for _ in range(boards):
        board = numpy.zeros(slow.indim)
        for point in range(len(board) // 2):
            stone = random.randrange(3)
            if stone < 2:
                board[2 * point + stone] = 1
        fast.reset()
        gap = max(gap, abs(slow.activate(board.copy()) - fast.activate(board.copy())).max())
    return gap


def play(net, size, games, args):
    """The fitness of a network by the library's task: a row of the CSV after network and size."""
    from pybrain.rl.agents.gomokuplayers import KillingGomokuPlayer, ModuleDecidingPlayer, RandomGomokuPlayer
    from pybrain.rl.tasks.gomoku.pentetask import PenteTask

    class Taker(KillingGomokuPlayer):
        """A hypothesis, not theirs: wins if it can, else takes a pair if it can."""
        def getAction(self):
            game, color = self.game, self.color
            takes = [] if game.getKilling(color) else [p for p in game.getLegals(color) if game._killsWhich(color, p)]
            return [color, random.choice(takes)] if takes else KillingGomokuPlayer.getAction(self)
    opponent = {'killing': KillingGomokuPlayer, 'random': RandomGomokuPlayer, 'taker': Taker}[args.opponent]
    # One game a call, so that single games can be seen. The task alternates colours over its calls.
    task = PenteTask(size, opponent=opponent, averageOverGames=1, alternateStarting=True)
    player = net if args.temperature == 0 else ModuleDecidingPlayer(net, task.env, temperature=args.temperature)
    scores, draws, moves = {task.env.BLACK: [], task.env.WHITE: []}, 0, 0
    for _ in range(games):
        color = -task.opponent.color
        scores[color].append(task(player))
        draws += task.env.winner == task.env.DRAW
        moves += task.env.movesDone
    black, white = scores[task.env.BLACK], scores[task.env.WHITE]
    total = sum(black) + sum(white)
    return [games, total / games, sum(black) / len(black), sum(white) / len(white), draws, moves / float(games)]


def measure(args):
    import numpy
    from pybrain import MDLSTMLayer
    from pybrain.structure.networks.custom.capturegame import CaptureGameNetwork
    columns = ['network', 'size', 'games', 'fitness', 'as_black', 'as_white', 'draws', 'mean_moves']
    out = open(args.csv, 'w')
    write = csv.writer(out)
    write.writerow(columns)
    for size in args.sizes:
        start = time.time()
        for seed in range(args.first, args.first + args.networks):
            net = CaptureGameNetwork(size=5, hsize=3, simpleborders=True, componentclass=MDLSTMLayer)
            numpy.random.seed(seed)
            net.randomize()
            assert net.paramdim == 93
            resized = net.resizedTo(size)
            assert (resized.params == net.params).all()
            fast = resized.convertToFastNetwork()
            random.seed('%d %d' % (seed, size))
            if seed == args.first:
                print('size %d: arac against Python, largest difference %.1e' % (size, largest_gap(resized, fast)))
            write.writerow([seed, size] + play(fast, size, args.games, args))
            out.flush()
            fast.proxies.clear()  # its __del__ keeps Python 2 from collecting the cycle
        print('size %d: %d networks in %.0f s' % (size, args.networks, time.time() - start))
        sys.stdout.flush()
    out.close()


def table(path, column='fitness', rounds=2000):
    """Prints Pearson's correlations between sizes, with bootstrap errors over networks, and mean fitness and draws."""
    import numpy
    rows = list(csv.DictReader(open(path)))
    sizes = sorted(set(int(row['size']) for row in rows))
    value = dict(((int(row['size']), int(row['network'])), float(row[column])) for row in rows)
    for size in sizes:
        own = [row for row in rows if int(row['size']) == size]
        fitness = numpy.array([float(row[column]) for row in own])
        draws = sum(int(row['draws']) for row in own) / float(sum(int(row['games']) for row in own))
        moves = numpy.mean([float(row['mean_moves']) for row in own])
        print('%dx%d, %s: mean %.3f, s.d. %.3f, draws %.3f, moves %.1f, %d networks'
              % (size, size, column, fitness.mean(), fitness.std(), draws, moves, len(own)))
    chance = numpy.random.RandomState(1)
    for i, small in enumerate(sizes):
        for large in sizes[i + 1:]:
            both = sorted(n for s, n in value if s == small and (large, n) in value)
            pairs = numpy.array([[value[small, n], value[large, n]] for n in both])
            again = [numpy.corrcoef(pairs[chance.randint(len(pairs), size=len(pairs))].T)[0, 1] for _ in range(rounds)]
            print('%2d vs. %2d, %s: %.2f +- %.2f (n = %d)'
                  % (small, large, column, numpy.corrcoef(pairs.T)[0, 1], numpy.std(again), len(pairs)))


def main():
    parser = argparse.ArgumentParser(description='Correlations of Pente by PyBrain of 2009.')
    parser.add_argument('clone', nargs='?', help='a full clone of pybrain')
    parser.add_argument('--sizes', default='5,7,9,11', type=lambda text: [int(size) for size in text.split(',')])
    parser.add_argument('--first', default=1, type=int, help='the number of the first network')
    parser.add_argument('--networks', default=100, type=int)
    parser.add_argument('--games', default=40, type=int, help='games of each network on each size, half of each colour')
    parser.add_argument('--gates', default='arac', choices=['arac', 'both'], help='both: the second gate repaired')
    parser.add_argument('--gomoku', metavar='COMMIT', help='takes gomoku.py, on which Pente builds, from this commit')
    parser.add_argument('--opponent', default='killing', choices=['killing', 'random', 'taker'])
    parser.add_argument('--temperature', default=0, type=float, help='0: greedy; above: Gibbs, as the example (1)')
    parser.add_argument('--csv', default='fitness.csv')
    parser.add_argument('--table', help='a CSV to print, without games')
    args = parser.parse_args()
    if not args.table:
        folder = tempfile.mkdtemp()
        unpack(args.clone, folder, args.gates, args.gomoku)
        stand_in()
        print(rules_hold(folder))
        measure(args)
        subprocess.check_call(['rm', '-r', folder])
    for column in ['fitness', 'as_black', 'as_white']:
        table(args.table or args.csv, column)


if __name__ == '__main__':
    main()
