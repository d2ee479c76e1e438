import GatewayService
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@Suite("G-25: every mutating call, made again", .timeLimit(.minutes(2)))
struct RepeatTests {
    /// Methods whose last step is session's.
    private static let endAtSession = [
        "Auth/SignUpWithPassword", "Auth/SignInWithPassword", "Auth/Refresh",
        "Passwords/ResetPassword", "AccountSessions/Reauthenticate",
        "Providers/SignInWithProvider", "Guests/SignInAnonymously",
        "PhoneSignIn/SignInWithPhoneCode",
    ]

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
        guard let cut = try await Self.cutOff(row, doesIt: false) else {
            // It asks nothing of session that could be cut off.
            #expect(!Self.endAtSession.contains(row.method))
            return
        }
        var whole: [Int64] = []
        try await ProviderTown.with { town in
            let (call, _) = try await row.prepare(town)
            _ = try await call(Gateway(town.house), town.house.context("k"))
            town.house.time.advance(by: .seconds(5))
            whole = try await town.house.effects()
        }
        #expect(cut == whole)
        #expect(try await Self.cutOff(row, doesIt: true) == whole)
    }

    /// What a call and its repeat have done, where the first one was cut off; nil where it was not.
    private static func cutOff(_ row: RepeatedCall, doesIt: Bool) async throws -> [Int64]? {
        var effects: [Int64]?
        try await ProviderTown.with { town in
            let house = town.house
            let (call, _) = try await row.prepare(town)
            let gone = SessionsGoneHalfWay(doesIt: doesIt, session: house.inner.session)
            do {
                _ = try await call(Gateway(house, sessions: gone), house.context("k"))
                return
            } catch let error as ServiceError {
                #expect(error.code == .unavailable)
            }
            house.time.advance(by: .seconds(5))
            _ = try await call(Gateway(house), house.context("k"))
            effects = try await house.effects()
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
