import ServiceRuntime
import Testing

@testable import RateLimitService

@Suite("R-04: the ledger of charges")
struct ChargeLedgerTests {
    private let start = Timestamp(milliseconds: 1_767_225_600_000)
    private let key = LimitKey(limit: 3, high: 1, low: 2)

    @Test("R-04: a charge can be taken once")
    func once() {
        var ledger = ChargeLedger()
        ledger.note(7, [key], at: start)
        let taken = ledger.take(7, at: start)
        #expect(taken?.keys == [key])
        #expect(taken?.moment == start)
        #expect(ledger.take(7, at: start) == nil)
    }

    @Test("R-04: nobody else's number takes it")
    func others() {
        var ledger = ChargeLedger()
        ledger.note(7, [key], at: start)
        for number: Int64 in [0, -7, 8, .max, .min] {
            #expect(ledger.take(number, at: start) == nil)
        }
        #expect(ledger.take(7, at: start) != nil)
    }

    @Test("R-04: after 60 s a charge stands", arguments: [(59_999, true), (60_000, false)])
    func life(milliseconds: Int, isTaken: Bool) {
        var ledger = ChargeLedger()
        ledger.note(7, [key], at: start)
        let taken = ledger.take(7, at: start + .milliseconds(milliseconds))
        #expect((taken != nil) == isTaken)
    }

    @Test("R-04: a full ledger notes no more, keeps what it has, and has room after their life")
    func full() {
        var ledger = ChargeLedger()
        for number in 1...100_000 { ledger.note(Int64(number), [key], at: start) }
        ledger.note(200_000, [key], at: start)
        #expect(ledger.take(200_000, at: start) == nil)
        #expect(ledger.take(1, at: start) != nil)
        #expect(ledger.take(100_000, at: start) != nil)
        let late = start + .seconds(60)
        ledger.note(200_001, [key], at: late)
        #expect(ledger.take(200_001, at: late) != nil)
    }

    @Test("R-04: 2,000 charges a second that nobody takes back leave room after their life")
    func drained() {
        var ledger = ChargeLedger()
        for number in 1...240_000 {
            ledger.note(Int64(number), [key], at: start + .milliseconds(number / 2))
        }
        let end = start + .milliseconds(120_000)
        ledger.note(300_000, [key], at: end + .seconds(20))
        #expect(ledger.take(300_000, at: end + .seconds(20)) != nil)
    }
}
