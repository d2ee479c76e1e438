import Messages
import TestSupport
import Testing

/// Calls of several kinds that a stranger must not be able to tell apart: asked in turns, in an
/// order that is drawn anew for each round, so that whatever the machine does meets all of them, and
/// what one leaves behind meets each of the others.
struct Likeness {
    /// One kind, for instance sign-ins to addresses that are nobody's.
    struct Kind {
        let name: String
        /// Asks for the `number`-th time.
        let ask: (Int) throws -> PlainCaller.Answer

        init(_ name: String, ask: @escaping (Int) throws -> PlainCaller.Answer) {
            self.name = name
            self.ask = ask
        }
    }

    /// Rounds of an ordinary run; a long one has as many as it is told, of quick calls tenfold.
    private static let ordinaryRounds = 24
    private static let quickFold = 10
    /// What a long run is held to; an ordinary one finds what is plainly wrong.
    private static let gapMax = SoakRounds.isLong ? 0.05 : 0.5
    private static let tMax = 10.0
    /// Rounds before anything is noted: caches fill.
    private static let warmUps = 3
    /// A busy machine makes one try differ, what differs by itself does so in all.
    private static let triesMax = SoakRounds.isLong ? 1 : 3

    /// What is asked for, as figures name it.
    let call: String
    /// The first is what the others are compared with.
    let kinds: [Kind]
    /// A call without a hash is so quick that a long run can make many more of it.
    var isQuick = false
    /// Takes out of an answer what no two have in common: new ids, tokens and times. What stays must
    /// be the same to the byte.
    var blank: (inout WireV1.Response) throws -> Void = { _ in }

    /// How often each kind is asked for at the most.
    var asksMax: Int { Self.triesMax * (rounds + Self.warmUps) }

    /// Asks, and expects all to be alike in bytes and in time.
    /// - Returns: the answer that all had.
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

    /// A kind beside the first one.
    private struct Comparison {
        let name: String
        let median: Double
        let gap: Double
        let t: Double

        var isAlike: Bool { gap <= Likeness.gapMax && abs(t) < Likeness.tMax }

        /// As `docker/bench.sh` promises.
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
