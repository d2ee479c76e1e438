import ServiceRuntime
import Testing

@testable import RateLimitService

@Suite("R-04: the ledger keeps charges for their refunds")
struct ChargeLedgerTests {
    private let start = Timestamp(milliseconds: 1_767_225_600_000)
    private let key = LimitKey(limit: 3, high: 1, low: 2)

    @Test("R-04: a charge can be refunded once")
    func once() {
        var ledger = ChargeLedger()
        ledger.record(7, [key], at: start)
        let taken = ledger.take(7, at: start)
        #expect(taken?.keys == [key])
        #expect(taken?.moment == start)
        #expect(ledger.take(7, at: start) == nil)
    }

    @Test("R-04: another id does not refund a charge")
    func others() {
        var ledger = ChargeLedger()
        ledger.record(7, [key], at: start)
        for number: Int64 in [0, -7, 8, .max, .min] {
            #expect(ledger.take(number, at: start) == nil)
        }
        #expect(ledger.take(7, at: start) != nil)
    }

    @Test("R-04: a charge can be refunded for 60 s", arguments: [(59_999, true), (60_000, false)])
    func life(milliseconds: Int, isTaken: Bool) {
        var ledger = ChargeLedger()
        ledger.record(7, [key], at: start)
        let taken = ledger.take(7, at: start + .milliseconds(milliseconds))
        #expect((taken != nil) == isTaken)
    }

    @Test("R-04: a full ledger keeps its charges and records new ones once those have expired")
    func full() {
        var ledger = ChargeLedger()
        for number in 1...100_000 { ledger.record(Int64(number), [key], at: start) }
        ledger.record(200_000, [key], at: start)
        #expect(ledger.take(200_000, at: start) == nil)
        #expect(ledger.take(1, at: start) != nil)
        #expect(ledger.take(100_000, at: start) != nil)
        let late = start + .seconds(60)
        ledger.record(200_001, [key], at: late)
        #expect(ledger.take(200_001, at: late) != nil)
    }

    @Test("R-04: after 2,000 charges a second without refunds, capacity returns when they expire")
    func drained() {
        var ledger = ChargeLedger()
        for number in 1...240_000 {
            ledger.record(Int64(number), [key], at: start + .milliseconds(number / 2))
        }
        let end = start + .milliseconds(120_000)
        ledger.record(300_000, [key], at: end + .seconds(20))
        #expect(ledger.take(300_000, at: end + .seconds(20)) != nil)
    }

    @Test("R-04: a repeated charge is refunded only with the last call that uses it")
    func resting() {
        var ledger = ChargeLedger()
        ledger.record(7, [key], at: start, isRepeatable: true)
        #expect(ledger.repetition(of: 7, at: start) == .free)
        #expect(ledger.repetition(of: 7, at: start) == .free)
        #expect(ledger.take(7, at: start) == nil)
        #expect(ledger.take(7, at: start) == nil)
        #expect(ledger.take(7, at: start) != nil)
        #expect(ledger.repetition(of: 7, at: start) == .none)
    }

    @Test("B1: repeatable charges, their repeats and their ends go to the journal once")
    func changes() {
        var ledger = ChargeLedger()
        ledger.record(1, [key], at: start)
        ledger.record(7, [key], at: start, isRepeatable: true)
        func next() -> [Int64: Int?] {
            Dictionary(uniqueKeysWithValues: ledger.takeChanges().map { ($0, $1?.repeats) })
        }
        #expect(next() == [7: 0])
        #expect(next().isEmpty)
        #expect(ledger.repetition(of: 7, at: start) == .free)
        #expect(next() == [7: 1])
        #expect(ledger.storedCharges == [.init(id: 7, moment: start, repeats: 1)])
        _ = ledger.take(7, at: start)
        #expect(next().isEmpty)
        _ = ledger.take(7, at: start)
        #expect(next() == [7: nil])
        #expect(ledger.storedCharges.isEmpty)
    }

    @Test(
        "B1: a restored charge can be repeated for the rest of its life but not refunded",
        arguments: [(59_999, true), (60_000, false)])
    func restored(milliseconds: Int, isRepeated: Bool) {
        var ledger = ChargeLedger()
        let now = start + .milliseconds(milliseconds)
        ledger.restore(.init(id: 7, moment: start, repeats: 3), at: now)
        #expect(ledger.take(7, at: now) == nil)
        #expect(ledger.repetition(of: 7, at: now) == (isRepeated ? .free : .none))
        ledger.restoreEnd(of: 7)
        #expect(ledger.repetition(of: 7, at: now) == .none)
    }

    @Test(
        "F-03: a held charge can be refunded once, for eleven minutes from its moment",
        arguments: [(659_999, true), (660_000, false)])
    func held(milliseconds: Int, isTaken: Bool) {
        var ledger = ChargeLedger()
        ledger.record(7, [key], [key: 3], at: start)
        ledger.hold(7, at: start + .milliseconds(59_999))
        let end = start + .milliseconds(milliseconds)
        #expect(ledger.amounts(of: 7) == [key: 3])
        let taken = ledger.take(7, at: end)
        #expect((taken?.moment == start) == isTaken)
        #expect(ledger.take(7, at: end) == nil)
    }

    @Test("F-03: only a charge that can be refunded is held, and none that can be repeated")
    func notHeld() {
        var ledger = ChargeLedger()
        ledger.record(7, [key], at: start)
        ledger.record(8, [key], at: start, isRepeatable: true)
        ledger.hold(7, at: start + .seconds(60))
        ledger.hold(8, at: start)
        ledger.hold(9, at: start)
        for number: Int64 in 7...9 {
            #expect(ledger.take(number, at: start + .seconds(61)) == nil)
        }
    }

    @Test("F-03: without capacity a charge is not held, until the others have expired")
    func manyHeld() {
        var ledger = ChargeLedger()
        for number in 1...ChargeLedger.heldMax + 1 {
            ledger.record(Int64(number), [key], at: start)
            ledger.hold(Int64(number), at: start)
        }
        let last = Int64(ChargeLedger.heldMax + 1)
        let later = start + .seconds(60)
        #expect(ledger.take(last, at: later) == nil)
        #expect(ledger.take(1, at: later) != nil)
        let end = start + ChargeLedger.heldLife
        ledger.record(last + 1, [key], at: end)
        ledger.hold(last + 1, at: end)
        #expect(ledger.take(last + 1, at: end + .seconds(60)) != nil)
    }

    @Test("R-04: a subject that was reset has nothing to refund, also of a held charge")
    func forgotten() {
        var ledger = ChargeLedger()
        ledger.record(7, [key], at: start)
        ledger.hold(7, at: start)
        ledger.forget([key])
        #expect(ledger.take(7, at: start) == nil)
    }
}
