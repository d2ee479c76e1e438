import Messages
import TestSupport
import Testing

/// Calls of several kinds that a stranger must not be able to tell apart. They are made in
/// rounds, each in a new random order, so that the machine's other load affects all kinds alike,
/// and so do the effects that one call has on the next.
struct Likeness {
    /// One kind, for example sign-ins to addresses without an account.
    struct Kind {
        let name: String
        /// Makes the `number`-th call.
        let ask: (Int) throws -> PlainCaller.Answer

        init(_ name: String, ask: @escaping (Int) throws -> PlainCaller.Answer) {
            self.name = name
            self.ask = ask
        }
    }

    /// Rounds of an ordinary run. A long run has as many as it is given, and ten times that for
    /// quick calls.
    private static let ordinaryRounds = 24
    private static let quickFold = 10
    /// The limits of a long run; an ordinary run finds only large differences.
    private static let gapMax = SoakRounds.isLong ? 0.05 : 0.5
    private static let tMax = 10.0
    /// Rounds before measurements are recorded, to fill caches.
    private static let warmUps = 3
    /// Load on the machine makes one try differ; a real difference shows in all of them.
    private static let triesMax = SoakRounds.isLong ? 1 : 3

    /// The name of the call in the figures.
    let call: String
    /// The others are compared with the first kind.
    let kinds: [Kind]
    /// A call without a password hash is so quick that a long run can make many more of it.
    var isQuick = false
    /// Removes from a response the values that differ in each: new ids, tokens and times. All other
    /// bytes must be equal.
    var blank: (inout WireV1.Response) throws -> Void = { _ in }

    /// The largest number of calls of each kind.
    var asksMax: Int { Self.triesMax * (rounds + Self.warmUps) }

    /// Makes the calls, and expects all kinds to be equal in bytes and in time.
    /// - Returns: the response that all kinds had.
    @discardableResult
    func expectAlike() throws -> WireV1.Response {
        var number = 0
        var table: [Comparison] = []
        var answer = WireV1.Response()
        for _ in 0..<Self.triesMax {
            (table, answer) = try compare(&number)
            if table.allSatisfy(\.isAlike) { break }
        }
        for row in table {
            Figures.tell(row.figures)
            #expect(row.isAlike, "\(row.figures)")
        }
        return answer
    }

    /// One kind compared with the first.
    private struct Comparison {
        let name: String
        let median: Double
        let gap: Double
        let t: Double

        var isAlike: Bool { gap <= Likeness.gapMax && abs(t) < Likeness.tMax }

        /// In the format that `docker/bench.sh` reads.
        var figures: String {
            func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
            return """
                figure enumeration-\(name) \(Int(median)) µs
                figure enumeration-\(name)-gap \(rounded(gap * 100)) %
                figure enumeration-\(name)-t \(rounded(t)) σ
                """
        }
    }

    /// Rounds of each try.
    var rounds: Int {
        SoakRounds.count(ordinarily: Self.ordinaryRounds)
            * (isQuick && SoakRounds.isLong ? Self.quickFold : 1)
    }

    private func compare(_ number: inout Int) throws -> ([Comparison], WireV1.Response) {
        var times = [[Double]](repeating: [], count: kinds.count)
        var first: WireV1.Response?
        var randomness = SeededRandomness(seed: SoakRounds.seed ?? 1)
        for round in 0..<rounds + Self.warmUps {
            for index in kinds.indices.shuffled(using: &randomness) {
                var answer = try kinds[index].ask(number)
                try blank(&answer.response)
                let expected = first ?? answer.response
                first = expected
                #expect(answer.response == expected, "\(call), \(kinds[index].name)")
                if round >= Self.warmUps { times[index].append(answer.took / .microseconds(1)) }
            }
            number += 1
        }
        let samples = times.map { TimeSample($0) }
        let table = zip(kinds, samples).map { kind, sample in
            Comparison(
                name: "\(call)-\(kind.name)", median: sample.median,
                gap: sample.gap(to: samples[0]), t: sample.welchT(samples[0]))
        }
        return (table, first ?? WireV1.Response())
    }
}
