/// A part of a pattern.
indirect enum PatternExpression {
    /// One character.
    case scalar(PatternCharacters)
    /// One after the other; none for the empty text.
    case sequence([PatternExpression])
    /// One of these, at least one.
    case choice([PatternExpression])
    /// As often as `least`, up to `most`; without an end if that is nil.
    case repetition(PatternExpression, least: Int, most: Int?)

    /// The number of states that it needs without the accepting one. Stops growing at a number that
    /// is far beyond the limit, since nested repetitions multiply.
    var stateCount: Int {
        let count =
            switch self {
            case .scalar: 1
            case .sequence(let parts): parts.reduce(0) { $0 + $1.stateCount }
            case .choice(let parts): parts.reduce(0) { $0 + $1.stateCount + 2 } - 2
            case .repetition(let part, let least, let most):
                // A part without states, as in `(){9}`, still takes time to repeat.
                max(1, part.stateCount) * (most ?? least + 1) + (most.map { $0 - least } ?? 2)
            }
        return min(count, Self.countMax)
    }

    private static let countMax = 1_000_000
}

/// A state of a pattern's automaton (Thompson's construction).
enum PatternState: Sendable {
    /// Waits for one of these characters and leads to the next state.
    case scalar(PatternCharacters)
    /// Leads to both at once.
    case fork(Int, Int)
    /// Leads to another state.
    case jump(Int)
    /// The text matches if it ends here.
    case accept

    /// The states of an expression; the first one is the start.
    static func states(of expression: PatternExpression) -> [PatternState] {
        var states: [PatternState] = []
        append(expression, to: &states)
        states.append(.accept)
        return states
    }

    private static func append(_ expression: PatternExpression, to states: inout [PatternState]) {
        switch expression {
        case .scalar(let characters): states.append(.scalar(characters))
        case .sequence(let parts): for part in parts { append(part, to: &states) }
        case .choice(let parts): appendChoice(parts, to: &states)
        case .repetition(let part, let least, let most):
            for _ in 0..<least { append(part, to: &states) }
            guard let most else { return appendLoop(part, to: &states) }
            appendOptions(part, count: most - least, to: &states)
        }
    }

    /// `fork(part 1, rest); part 1; jump(end); fork(part 2, …)`
    private static func appendChoice(
        _ parts: [PatternExpression], to states: inout [PatternState]
    ) {
        var jumps: [Int] = []
        for part in parts.dropLast() {
            let fork = states.count
            states.append(.accept)
            append(part, to: &states)
            jumps.append(states.count)
            states.append(.accept)
            states[fork] = .fork(fork + 1, states.count)
        }
        if let last = parts.last { append(last, to: &states) }
        for jump in jumps { states[jump] = .jump(states.count) }
    }

    /// `fork(part, end); part; jump(fork)`
    private static func appendLoop(_ part: PatternExpression, to states: inout [PatternState]) {
        let fork = states.count
        states.append(.accept)
        append(part, to: &states)
        states.append(.jump(fork))
        states[fork] = .fork(fork + 1, states.count)
    }

    /// `count` times: `fork(part, end); part`
    private static func appendOptions(
        _ part: PatternExpression, count: Int, to states: inout [PatternState]
    ) {
        var forks: [Int] = []
        for _ in 0..<count {
            forks.append(states.count)
            states.append(.accept)
            append(part, to: &states)
        }
        for fork in forks { states[fork] = .fork(fork + 1, states.count) }
    }
}
