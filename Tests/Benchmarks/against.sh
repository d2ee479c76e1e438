# Compares this build with another revision's: `docker/bench.sh --against REVISION`. Sourced, never
# run.
#
# The other revision is checked out into .build/before, and measures itself with its own
# docker/bench.sh. The two alternate, since the machine's own speed drifts; each round is one run of
# both.

# Rounds; an odd number, so that the median is one of them.
against_rounds=${POSTERN_BENCH_ROUNDS:-5}
# A figure that is worse by less than this is no loss: no machine repeats a figure more exactly.
against_loss=${POSTERN_BENCH_LOSS:-0.05}

# Measures the named benchmarks of both sides alternately and compares them. $1: the other revision;
# the others: names of benchmarks.
measure_against() {
  local revision before=$root/.build/before round side
  revision=$(git -c safe.directory="$root" -C "$root" rev-parse --verify --quiet "$1^{commit}") ||
    fail "there is no revision $1"
  shift
  check_out_before "$revision" "$before"
  local now_figures=$work/now.figures before_figures=$work/before.figures
  for round in $(seq "$against_rounds"); do
    # The first side has the cooler machine, so the sides alternate.
    local sides=(before now)
    ((round % 2)) || sides=(now before)
    for side in "${sides[@]}"; do
      say "round $round of $against_rounds: $side"
      if [[ $side == before ]]; then
        measure_once "$before" "$before/.build" "$@" >>"$before_figures"
      else
        measure_once "$root" "$build" "$@" >>"$now_figures"
      fi
    done
  done
  compare_figures "$before_figures" "$now_figures"
}

# Checks out a revision, and keeps the build folder of an earlier comparison with it.
check_out_before() {
  local revision=$1 folder=$2
  [[ $(cat "$folder/.revision" 2>/dev/null) == "$revision" ]] && return 0
  say "checking out ${revision:0:12} into .build/before"
  mkdir -p "$folder"
  find "$folder" -mindepth 1 -maxdepth 1 ! -name .build -exec rm -rf {} +
  git -c safe.directory="$root" -C "$root" archive "$revision" | tar -x -C "$folder"
  echo "$revision" >"$folder/.revision"
}

# One run of a tree's own benchmarks, built in the folder $2. Output other than figures goes to the
# terminal.
measure_once() {
  local tree=$1 built=$2
  shift 2
  POSTERN_BENCH_RUNS=1 POSTERN_BENCH_SECONDS=$seconds POSTERN_BENCH_BUILD=$built \
    "$tree/docker/bench.sh" "$@" | grep '^figure '
}

# A line for each figure that both sides have:
#
#   compare NAME BEFORE NOW UNIT RATIO× ±SPREAD VERDICT
#
# RATIO is the median of the rounds' now / before, SPREAD half the distance from the smallest to the
# largest of them. The unit decides whether more is better (a rate) or not (a time, a size); a ratio
# (×) can be either, and a peer's figure is not ours, so their lines have no verdict. Fails if any
# figure is a loss.
compare_figures() {
  awk -v limit="$against_loss" '
    function sorted(values, count, place, other, value) {
      for (place = 2; place <= count; place++) {
        value = values[place]
        for (other = place - 1; other > 0 && values[other] > value; other--)
          values[other + 1] = values[other]
        values[other + 1] = value
      }
    }
    function median(values, count) { return values[int((count + 1) / 2)] }
    FNR == NR { before[$2, ++befores[$2]] = $3; next }
    {
      if (!($2 in nows)) names[++figures] = $2
      now[$2, ++nows[$2]] = $3
      unit[$2] = $4
    }
    END {
      for (place = 1; place <= figures; place++) {
        name = names[place]
        count = nows[name] < befores[name] ? nows[name] : befores[name]
        if (!count) continue
        zeros = 0
        for (round = 1; round <= count; round++) {
          old[round] = before[name, round]
          new[round] = now[name, round]
          if (old[round] <= 0 || new[round] <= 0) zeros++
          else ratios[round] = new[round] / old[round]
        }
        sorted(old, count)
        sorted(new, count)
        if (zeros) {
          printf "compare %s %s %s %s\n", name, median(old, count), median(new, count), unit[name]
          continue
        }
        sorted(ratios, count)
        ratio = median(ratios, count)
        spread = (ratios[count] - ratios[1]) / 2
        worse = unit[name] ~ /\/s/ ? 1 - ratio : ratio - 1
        verdict = "same"
        if (unit[name] == "×" || name ~ /^(redis|grpc)-/) verdict = "-"
        else if (worse > limit && worse > spread) { verdict = "LOSS"; losses++ }
        else if (-worse > limit && -worse > spread) verdict = "gain"
        printf "compare %s %s %s %s %.2f× ±%.2f %s\n", name, median(old, count),
          median(new, count), unit[name], ratio, spread, verdict
      }
      if (!figures) { print "no figure was measured" >"/dev/stderr"; exit 1 }
      if (losses) { printf "%d lost\n", losses >"/dev/stderr"; exit 1 }
    }' "$1" "$2"
}
