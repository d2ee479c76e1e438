import ServiceRuntime
import Testing

@testable import RateLimitService

@Suite("R-04: the table of rings")
struct RingTableTests {
    private let start = Timestamp(milliseconds: 1_767_225_600_000)

    private func key(_ limit: LimitName, _ subject: UInt8) -> RingKey {
        RingKey(limit: limit, subject: [subject])
    }

    /// A table in which each key has been charged `count` times at the start.
    private func table(_ charged: [(RingKey, count: Int)], ringsMax: Int = 1_000) -> RingTable {
        var table = RingTable(ringsMax: ringsMax)
        for (key, count) in charged {
            for _ in 0..<count { _ = table.consume([key], at: start) }
        }
        return table
    }

    @Test("R-04: a batch with one limited entry charges none of them")
    func allOrNothing() {
        let (account, address) = (key(.failedSignInByAccount, 1), key(.failedSignInByAddress, 2))
        var table = table([(account, 5)])
        guard
            case .limited(account, until: start + .seconds(900), isFirst: true) =
                table.consume([address, account], at: start)
        else {
            Issue.record("not limited")
            return
        }
        #expect(table.ring(address) == ExactRing())
        #expect(table.ring(account).moments.count == 5)
    }

    @Test("R-04: of several limits the one that lasts longest is told, in any order")
    func strictest() {
        let (account, signUp) = (key(.failedSignInByAccount, 1), key(.signUpByAddress, 2))
        for order in [[account, signUp], [signUp, account]] {
            var table = table([(account, 5), (signUp, 3)])
            #expect(
                table.consume(order, at: start)
                    == .limited(signUp, until: start + .seconds(3_600), isFirst: true))
        }
    }

    @Test("R-04: of several that allow, the scarcest is told")
    func scarcest() {
        let (account, address) = (key(.failedSignInByAccount, 1), key(.failedSignInByAddress, 2))
        var table = table([(account, 3)])
        #expect(
            table.consume([address, account], at: start)
                == .allowed(limit: .failedSignInByAccount, remaining: 1))
    }

    @Test("R-04: peek says what consume would, and charges nothing")
    func peek() {
        let account = key(.failedSignInByAccount, 1)
        var table = table([(account, 4)])
        for _ in 0..<3 {
            #expect(
                table.peek([account], at: start)
                    == .allowed(limit: .failedSignInByAccount, remaining: 0))
        }
        _ = table.consume([account], at: start)
        #expect(
            table.peek([account], at: start)
                == .limited(account, until: start + .seconds(900), isFirst: true))
    }

    @Test("R-03: a full table refuses new subjects and evicts no living one")
    func full() {
        let (one, two) = (key(.failedSignInByAccount, 1), key(.failedSignInByAccount, 2))
        var table = table([(one, 5), (two, 1)], ringsMax: 2)
        #expect(table.consume([key(.failedSignInByAccount, 3)], at: start) == .full)
        #expect(table.consume([two, key(.signUpByAddress, 3)], at: start) == .full)
        #expect(table.ring(two).moments.count == 1)
        #expect(
            table.consume([one], at: start)
                == .limited(one, until: start + .seconds(900), isFirst: true))
        #expect(
            table.consume([two], at: start)
                == .allowed(limit: .failedSignInByAccount, remaining: 3))
        #expect(table.count == 2)
    }

    @Test("R-03: a full table takes new subjects in once old ones no longer count")
    func roomAgain() {
        var table = table(
            [(key(.failedSignInByAccount, 1), 1), (key(.failedSignInByAccount, 2), 1)], ringsMax: 2)
        let late = start + .seconds(900)
        #expect(
            table.consume([key(.failedSignInByAccount, 3)], at: late)
                == .allowed(limit: .failedSignInByAccount, remaining: 4))
        #expect(table.count == 1)
    }

    @Test("R-04: a refund gives back what its batch took, in every ring")
    func refund() {
        let keys = [key(.failedSignInByAccount, 1), key(.failedSignInByAddress, 2)]
        var table = RingTable(ringsMax: 10)
        _ = table.consume(keys, at: start)
        _ = table.consume(keys, at: start + .seconds(1))
        table.refund(keys, start)
        for key in keys { #expect(table.ring(key).moments == [start + .seconds(1)]) }
    }

    @Test("A-01: a wait is noted once, however often somebody tries, and the next wait again")
    func noted() {
        let account = key(.failedSignInByAccount, 1)
        var table = table([(account, 5)])
        var firsts = 0
        for second in 0..<899 {
            if case .limited(_, _, isFirst: true) = table.consume(
                [account], at: start + .seconds(second))
            {
                firsts += 1
            }
        }
        #expect(firsts == 1)
        let next = start + .seconds(900)
        for _ in 0..<5 { _ = table.consume([account], at: next) }
        #expect(
            table.consume([account], at: next)
                == .limited(account, until: next + .seconds(900), isFirst: true))
        #expect(
            table.consume([account], at: next)
                == .limited(account, until: next + .seconds(900), isFirst: false))
    }

    @Test("R-04: an empty batch is never allowed")
    func empty() {
        var table = RingTable(ringsMax: 10)
        #expect(table.consume([], at: start) == .full)
    }
}
