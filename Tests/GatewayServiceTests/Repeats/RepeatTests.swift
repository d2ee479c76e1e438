import GatewayService
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@Suite("G-25: every mutating call, made again", .timeLimit(.minutes(2)))
struct RepeatTests {
    @Test("no mutating method is without its row")
    func complete() throws {
        let methods = try PublicMethods.mutating()
        #expect(methods.count >= 9)
        #expect(Set(methods).subtracting(RepeatedCalls.all.map(\.method)) == [], "no row")
        #expect(Set(RepeatedCalls.all.map(\.method)).subtracting(methods) == [], "no method")
    }

    @Test(
        "the same key twice: the first answer, and nothing is done again",
        arguments: RepeatedCalls.all)
    func again(row: RepeatedCall) async throws {
        try await ProviderTown.with { town in
            let house = town.house
            let (call, _) = try await row.prepare(town)
            let before = try await house.effects()
            let first = try await call(Gateway(house), house.context("k"))
            let after = try await house.effects()
            #expect(after != before, "the first call did nothing that could be seen")
            house.time.advance(by: .seconds(5))
            // Another gateway: nothing of it is the first one's memory.
            let second = try await call(Gateway(house), house.context("k"))
            #expect(second == first)
            #expect(try await house.effects() == after)
        }
    }

    @Test(
        "the same key for somebody else's call: auth/idempotency-key-reused, and nothing is done",
        arguments: RepeatedCalls.all)
    func reused(row: RepeatedCall) async throws {
        try await ProviderTown.with { town in
            let house = town.house
            let (call, other) = try await row.prepare(town)
            let gateway = try Gateway(house)
            _ = try await call(gateway, house.context("k"))
            let after = try await house.effects()
            let error = try await refusal { try await other(gateway, house.context("k")) }
            #expect(error.code == .idempotencyKeyReused)
            #expect(try await house.effects() == after)
            // The other call was good in itself.
            _ = try await other(gateway, house.context("l"))
        }
    }

    @Test(
        "cut off between identity and session, the same call finishes, and does all of it once",
        arguments: RepeatedCalls.all)
    func cutOff(row: RepeatedCall) async throws {
        let whole = try await Self.effects(of: row) { house, call in
            _ = try await call(Gateway(house), house.context("k"))
            house.time.advance(by: .seconds(5))
        }
        for doesIt in [false, true] {
            let cut = try await Self.effects(of: row) { house, call in
                let gone = SessionsGoneHalfWay(doesIt: doesIt, session: house.inner.session)
                do {
                    _ = try await call(Gateway(house, sessions: gone), house.context("k"))
                } catch let error as ServiceError {
                    #expect(error.code == .unavailable)
                }
                house.time.advance(by: .seconds(5))
                _ = try await call(Gateway(house), house.context("k"))
            }
            #expect(cut == whole, "session has done its part: \(doesIt)")
        }
    }

    private static func effects(
        of row: RepeatedCall,
        _ body: @Sendable (GatewayHouse, RepeatedCall.Call) async throws -> Void
    ) async throws -> [Int64] {
        var effects: [Int64] = []
        try await ProviderTown.with { town in
            let (call, _) = try await row.prepare(town)
            try await body(town.house, call)
            effects = try await town.house.effects()
        }
        return effects
    }

    @Test("an answer is kept for 24 hours, and no longer")
    func kept() async throws {
        let house = try await GatewayHouse()
        _ = try await house.signUp()
        house.time.advance(by: .seconds(1))
        let first = try await house.signIn(in: house.context("k"))
        house.time.advance(by: .seconds(24 * 3_600 - 1))
        let again = try await house.signIn(in: house.context("k"))
        #expect(again.session.sessionId == first.session.sessionId)
        #expect(again.account == first.account)
        house.time.advance(by: .seconds(1))
        let new = try await house.signIn(in: house.context("k"))
        #expect(new.session.sessionId != first.session.sessionId)
    }
}
