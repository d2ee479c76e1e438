/// A regular expression of the operator: an I-Regexp (RFC 9485). It must match the whole text.
///
/// The time to match is at most proportional to the length of the text times the number of states
/// (`statesMax`), whatever the pattern: all ways through the text are followed at once (Thompson's
/// construction), so that nothing is tried again. The size of a pattern is limited, too.
package struct TextPattern: Hashable, Sendable {
    /// The longest pattern, in UTF-8.
    static let bytesMax = 256
    /// The largest automaton, since `{n,m}` repeats its states. With 64 KiB of text: at most 65
    /// million steps.
    static let statesMax = 1_000

    /// The pattern as it was written.
    package let text: String
    private let states: [PatternState]

    /// Reads a pattern.
    /// - Throws: `PatternError`.
    init(_ text: String) throws(PatternError) {
        guard text.utf8.count <= Self.bytesMax else {
            throw PatternError(sentence: "it has more than \(Self.bytesMax) bytes")
        }
        let expression = try PatternParser.expression(of: text)
        guard expression.stateCount < Self.statesMax else {
            throw PatternError(
                sentence: "its repetitions need more than \(Self.statesMax) states")
        }
        self.text = text
        states = PatternState.states(of: expression)
    }

    /// Whether the whole text matches.
    func matches(_ text: String) -> Bool {
        var current = PatternRun(states)
        var next = PatternRun(states)
        current.enter(0, of: states)
        for scalar in text.unicodeScalars {
            if current.places.isEmpty { return false }
            next.clear()
            for place in current.places {
                guard case .scalar(let characters) = states[place] else { continue }
                if characters.contains(scalar) { next.enter(place + 1, of: states) }
            }
            swap(&current, &next)
        }
        return current.isAccepted
    }

    /// Whether both were written alike.
    package static func == (left: TextPattern, right: TextPattern) -> Bool {
        left.text == right.text
    }

    /// Hashes what was written.
    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// A text is no pattern that we accept.
struct PatternError: Error, Hashable {
    /// What is wrong, to follow "the pattern is not valid: ".
    let sentence: String
}

/// The states that one position in the text has reached.
private struct PatternRun {
    /// The states that wait for a character, each once.
    private(set) var places: [Int] = []
    private(set) var isAccepted = false
    /// For each state the last generation that entered it, so that clearing costs nothing.
    private var entered: [Int]
    private var generation = 1
    private var open: [Int] = []

    init(_ states: [PatternState]) { entered = [Int](repeating: 0, count: states.count) }

    mutating func clear() {
        places.removeAll(keepingCapacity: true)
        isAccepted = false
        generation += 1
    }

    /// Enters a state, and those that it leads to without a character. Each is entered once, so
    /// that a loop over nothing, as in `(a*)*`, ends.
    mutating func enter(_ start: Int, of states: [PatternState]) {
        open.append(start)
        while let place = open.popLast() {
            guard entered[place] != generation else { continue }
            entered[place] = generation
            switch states[place] {
            case .scalar: places.append(place)
            case .accept: isAccepted = true
            case .jump(let target): open.append(target)
            case .fork(let first, let second):
                open.append(first)
                open.append(second)
            }
        }
    }
}
