import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite(
    "Two calls about one account, with their statements interleaved",
    .enabled(if: TestStore.runs("*InterleavingsTests")), .timeLimit(.minutes(1)))
struct AccountInterleavingsTests {
    /// Two calls, and how many sessions may be live after both.
    struct Pair: Sendable, CustomTestStringConvertible {
        typealias Call = @Sendable (TwoSessions) async throws -> Void

        let testDescription: String
        let live: Set<Int>
        let flags: [String]
        let first: Call
        let second: Call

        init(
            _ name: String, live: Set<Int>, flags: [String] = [], _ first: @escaping Call,
            _ second: @escaping Call
        ) {
            testDescription = name
            self.live = live
            self.flags = flags
            self.first = first
            self.second = second
        }
    }

    private static let pairs = [
        Pair(
            "CreateSession by a proof from before EndAccountSessions", live: [0],
            { try await $0.create(0) }, { try await $0.endAccount() }),
        Pair(
            "two CreateSession at the limit", live: [2], flags: ["--sessions-max", "2"],
            { try await $0.create(0) }, { try await $0.create(1) }),
        Pair(
            "CreateSession, SignOut of all", live: [0, 1],
            { try await $0.create(0) }, { try await $0.signOut(0, all: true) }),
        Pair(
            "CreateSession, SignOut of all by a refresh token", live: [0, 1],
            { try await $0.create(0) }, { try await $0.signOutByRefreshToken(0, all: true) }),
        Pair(
            "CreateSession, EndOtherSessions", live: [1, 2],
            { try await $0.create(0) }, { try await $0.endOthers(by: 0) }),
        Pair(
            "two RefreshSession with one token", live: [2],
            { try await $0.refresh(0) }, { try await $0.refresh(0) }),
        Pair(
            "RefreshSession, SignOut", live: [1],
            { try await $0.refresh(0) }, { try await $0.signOut(0) }),
        Pair(
            "RefreshSession, SignOut by the same refresh token", live: [1],
            { try await $0.refresh(0) }, { try await $0.signOutByRefreshToken(0) }),
        Pair(
            "RefreshSession, EndAccountSessions", live: [0],
            { try await $0.refresh(0) }, { try await $0.endAccount() }),
        Pair(
            "RefreshSession, EndSession", live: [1],
            { try await $0.refresh(0) }, { try await $0.end(0, by: 1) }),
        Pair(
            "RefreshSession, EndOtherSessions", live: [1],
            { try await $0.refresh(0) }, { try await $0.endOthers(by: 1) }),
        Pair(
            "RefreshSession, CreateSession that displaces the session", live: [2],
            flags: ["--sessions-max", "2"],
            { try await $0.refresh(0) }, { try await $0.create(0) }),
        Pair(
            "Reauthenticate, EndAccountSessions", live: [0],
            { try await $0.reauthenticate(0) }, { try await $0.endAccount() }),
        Pair(
            "two SetAccountClaims, the later version first", live: [2],
            { try await $0.setClaims(2) }, { try await $0.setClaims(1) }),
        Pair(
            "CreateSession by a proof with claims, SetAccountClaims", live: [3],
            { try await $0.create(2) }, { try await $0.setClaims(1) }),
        Pair(
            "RefreshSession, SetAccountClaims", live: [2],
            { try await $0.refresh(0) }, { try await $0.setClaims(1) }),
        Pair(
            "SignOut of all, SetAccountClaims", live: [0],
            { try await $0.signOut(0, all: true) }, { try await $0.setClaims(1) }),
        Pair(
            "two EndOtherSessions that end each other's session", live: [1],
            { try await $0.endOthers(by: 0) }, { try await $0.endOthers(by: 1) }),
    ]

    @Test("the calls leave what they leave one after the other", arguments: pairs)
    func interleaved(pair: Pair) async throws {
        var interleavings: Interleavings?
        let fixture = try await SessionFixture(flags: pair.flags) { inner in
            let made = Interleavings(inner)
            interleavings = made
            return made
        }
        let given = try await TwoSessions(fixture)
        let report = try await #require(interleavings).explore(
            { try await pair.first(given) }, { try await pair.second(given) }, Self.look)
        #expect(report.wrong.isEmpty)
        #expect(report.interleavings > 0)
        for left in report.serial {
            #expect(pair.live.contains { left.contains(" \($0) live,") }, "\(left)")
        }
    }

    private static func look(_ transaction: Transaction) throws -> String {
        try transaction.numbers([
            "live": "count(*) FROM session WHERE ended_at_ms IS NULL",
            "ended": "count(*) FROM session WHERE ended_at_ms IS NOT NULL",
            "as the sum of the counters": "coalesce(sum(counter), 0) FROM session",
            "as the sum of the reasons": "coalesce(sum(end_reason), 0) FROM session",
            "revocations": "count(*) FROM session_end",
            "account ends": "count(*) FROM account_end",
            "as the version of the claims": "coalesce(sum(version), 0) FROM account_claims",
            "flags": "coalesce(sum(has_claims), 0) FROM session",
            "used proofs": "count(*) FROM used_proof",
            "audit records": "count(*) FROM audit",
            "notices": "count(*) FROM outbox",
        ])
    }
}

/// An account with two sessions, two proofs that were made a second later, and one with claims.
struct TwoSessions: Sendable {
    private let service: SessionService
    private let account: AccountID
    private let tokens: [GatewayV1.Session]
    private let proofs: [IdentityV1.SignInProof]
    /// Later than the proofs.
    private let end: Timestamp
    private let context: CallContext
    private let identity: CallContext

    init(_ fixture: SessionFixture, of key: Int64 = 42) async throws {
        service = fixture.service
        account = try fixture.account(key)
        let first = try await fixture.open(account)
        fixture.time.advance(by: .seconds(1))
        tokens = [first, try await fixture.open(account)]
        fixture.time.advance(by: .seconds(1))
        proofs = [
            fixture.proof(account), fixture.proof(account),
            fixture.proof(account, claims: AccountClaims(roles: ["v2"]), version: 2),
        ]
        end = fixture.time.now() + .milliseconds(1)
        context = fixture.context()
        identity = fixture.context(from: "identity")
    }

    func create(_ proof: Int) async throws {
        let device = GatewayV1.Device(deviceId: "d1", platform: "cli")
        _ = try await service.sessions.createSession(
            .init(proof: proofs[proof], device: device), context)
    }

    func setClaims(_ version: Int64) async throws {
        _ = try await service.sessions.setAccountClaims(
            .init(accountId: account.text, version: version, roles: ["v\(version)"]), identity)
    }

    func refresh(_ session: Int) async throws {
        _ = try await service.sessions.refreshSession(
            .init(refreshToken: tokens[session].refreshToken), context)
    }

    func reauthenticate(_ session: Int) async throws {
        _ = try await service.devices.reauthenticate(
            .init(proof: proofs[0]), context.bearing(tokens[session].accessToken))
    }

    func signOut(_ session: Int, all: Bool = false) async throws {
        _ = try await service.sessions.signOut(
            .init(all: all), context.bearing(tokens[session].accessToken))
    }

    func signOutByRefreshToken(_ session: Int, all: Bool = false) async throws {
        _ = try await service.sessions.signOut(
            .init(refreshToken: tokens[session].refreshToken, all: all), context)
    }

    func end(_ session: Int, by caller: Int) async throws {
        _ = try await service.devices.endSession(
            .init(sessionId: tokens[session].sessionId),
            context.bearing(tokens[caller].accessToken))
    }

    func endOthers(by caller: Int) async throws {
        _ = try await service.devices.endOtherSessions(
            .init(), context.bearing(tokens[caller].accessToken))
    }

    func endAccount() async throws {
        _ = try await service.sessions.endAccountSessions(
            .init(accountId: account.text, beforeMs: end.milliseconds, reason: .security), identity)
    }
}
