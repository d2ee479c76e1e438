import Contracts
import ServiceRuntime
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-03: the charges of guesses without an outcome")
struct UnsettledGuessesTests {
    private static let now = Timestamp(milliseconds: 1_700_000_000_000)
    private static let lane = LimitKey(limit: 7, high: 1, low: 1)
    private static let other = LimitKey(limit: 7, high: 2, low: 1)
    private static let address = LimitKey(limit: 2, high: 3, low: 3)

    private static func guess(
        _ lane: LimitKey = lane, after: Duration = .zero
    ) -> UnsettledGuesses.Guess {
        .init(lane: lane, keys: [lane, address], moment: now + after)
    }

    /// A row of the table: the age of the only charge, and what a refused attempt is told.
    struct Row: CustomTestStringConvertible, Sendable {
        let age: Duration
        let isListed: Bool
        let areOthers: Bool

        var testDescription: String { "\(age)" }
    }

    @Test(
        "R-03: a charge is listed from half a second to 15 minutes after it was made",
        arguments: [
            Row(age: .zero, isListed: false, areOthers: true),
            Row(age: .milliseconds(499), isListed: false, areOthers: true),
            Row(age: .milliseconds(500), isListed: true, areOthers: false),
            Row(age: .milliseconds(899_999), isListed: true, areOthers: false),
            Row(age: .seconds(900), isListed: false, areOthers: false),
            // The clock was set back.
            Row(age: .seconds(-60), isListed: true, areOthers: false),
        ])
    func listed(row: Row) {
        var guesses = UnsettledGuesses()
        _ = guesses.record(1, Self.guess())
        let unsettled = guesses.unsettled(in: Self.lane, at: Self.now + row.age)
        #expect(unsettled.listed == (row.isListed ? [1] : []))
        #expect(unsettled.areOthers == row.areOthers)
        #expect(guesses.unsettled(in: Self.other, at: Self.now + row.age).listed.isEmpty)
    }

    @Test("R-03: a charge is taken once, and not after it expired")
    func taken() {
        var guesses = UnsettledGuesses()
        for id: Int64 in 1...2 { _ = guesses.record(id, Self.guess()) }
        let first = guesses.take(1, at: Self.now)
        #expect(first == Self.guess())
        for (id, age) in [(1, 0), (2, 900), (3, 0)] as [(Int64, Int)] {
            let none = guesses.take(id, at: Self.now + .seconds(age))
            #expect(none == nil, "\(id)")
        }
        #expect(guesses.unsettled(in: Self.lane, at: Self.now + .seconds(1)).listed == [2])
    }

    @Test("R-03: a second charge with the same id is not kept")
    func sameID() {
        var guesses = UnsettledGuesses()
        let isKept = [Self.lane, Self.other].map { guesses.record(1, Self.guess($0)) }
        #expect(isKept == [true, false])
        let kept = guesses.take(1, at: Self.now)
        #expect(kept?.lane == Self.lane)
    }

    @Test("R-03: what is reset is not refunded later")
    func forgotten() {
        var guesses = UnsettledGuesses()
        _ = guesses.record(1, Self.guess())
        guesses.forget([Self.address])
        let kept = guesses.take(1, at: Self.now)
        #expect(kept?.keys == [Self.lane])
    }

    @Test("R-03: without capacity a charge is not kept; expired ones make space")
    func full() {
        var guesses = UnsettledGuesses()
        for id in 0..<Int64(UnsettledGuesses.guessesMax) {
            _ = guesses.record(id, Self.guess())
            if id % 10_000 == 0 { _ = guesses.takeChanges() }
        }
        _ = guesses.takeChanges()
        let isKept = [899, 900].map {
            guesses.record(-1, Self.guess(Self.other, after: .seconds($0)))
        }
        #expect(isKept == [false, true])
        #expect(guesses.keeps(-1) && guesses.keeps(49_999) && !guesses.keeps(0))
    }

    @Test("R-03: while the journal takes no changes, their number is bounded")
    func changes() {
        var guesses = UnsettledGuesses()
        for id in 0..<Int64(UnsettledGuesses.guessesMax) {
            _ = guesses.record(id, Self.guess())
            _ = guesses.take(id, at: Self.now)
        }
        let before = guesses.record(-1, Self.guess())
        let changes = guesses.takeChanges()
        let after = guesses.record(-1, Self.guess())
        #expect(!before && after && changes.count == UnsettledGuesses.guessesMax)
    }

    @Test("R-03: a restored charge is listed and refunded; an expired one is dropped")
    func restored() throws {
        var guesses = UnsettledGuesses()
        for id: Int64 in 1...3 { _ = guesses.record(id, Self.guess()) }
        _ = guesses.take(2, at: Self.now)
        var next = UnsettledGuesses()
        for (id, guess) in guesses.takeChanges() {
            next.restore(id, guess, at: Self.now + .seconds(1))
        }
        #expect(Set(next.unsettled(in: Self.lane, at: Self.now + .seconds(1)).listed) == [1, 3])
        let changes = next.takeChanges()
        let taken = next.take(1, at: Self.now)
        #expect(changes.isEmpty && taken == Self.guess())
        next.restore(3, nil, at: Self.now)
        #expect(next.unsettled(in: Self.lane, at: Self.now + .seconds(1)).listed.isEmpty)
        next.restore(4, Self.guess(), at: Self.now + .seconds(900))
        #expect(!next.keeps(4))
    }
}
