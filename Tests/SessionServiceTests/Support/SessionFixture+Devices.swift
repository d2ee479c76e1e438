import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

extension SessionFixture {
    /// Opens a session on a named device.
    func open(
        _ account: AccountID? = nil, on device: String, methods: [String] = ["pwd"]
    ) async throws -> GatewayV1.Session {
        let account = try account ?? self.account()
        let device = GatewayV1.Device(
            deviceId: "id of \(device)", platform: "ios", name: device)
        let response = try await service.sessions.createSession(
            SessionV1.CreateSessionRequest(proof: proof(account, methods: methods), device: device),
            context())
        return try #require(response.session)
    }

    func list(_ token: String) async throws -> [GatewayV1.SessionEntry] {
        try await service.devices.listSessions(.init(), context(bearing: token)).sessions
    }

    func end(_ session: String, by token: String, key: String? = nil) async throws -> Bool {
        try await service.devices.endSession(
            .init(sessionId: session), context(key, bearing: token)
        ).endedSessions > 0
    }

    func endOthers(by token: String, key: String? = nil) async throws -> Int {
        Int(
            try await service.devices.endOtherSessions(.init(), context(key, bearing: token))
                .endedSessions)
    }

    func reauthenticate(
        _ token: String, _ proof: IdentityV1.SignInProof
    ) async throws -> GatewayV1.ReauthenticateResponse {
        try await service.devices.reauthenticate(
            SessionV1.ReauthenticateRequest(proof: proof), context(bearing: token))
    }

    /// Whether a session is live, given any of its access tokens, even an expired one.
    func isLive(_ tokens: GatewayV1.Session) async throws -> Bool {
        try await inspect(tokens.accessToken).live
    }

    /// How many notices wait for identity.
    func waiting() async throws -> Int { try await store.read { try $0.outboxCount() } }

    /// Runs the service until no notice waits. The time advances, so that retries become due.
    func handOver() async throws {
        let (service, store, time) = (service, store, time)
        try await withThrowingTaskGroup { group in
            group.addTask { try await service.background.run() }
            let isDone = try await eventually(every: .milliseconds(1)) {
                if try await store.read({ try $0.outboxCount() }) == 0 { return true }
                time.advance(by: .milliseconds(10))
                return false
            }
            group.cancelAll()
            #expect(isDone)
        }
    }

    /// Deletes what has expired, as the duty does.
    func purge() async throws {
        let retention = service.sessions.settings.endedSessionRetention
        let purges = Purges(
            of: store, SessionTables.purges(endedSessionsFor: retention),
            numbering: [.sessionEnds], time: time)
        while try await purges.step() {}
    }

    /// One number from the store.
    func number(_ sql: String, _ values: [SQLValue] = []) async throws -> Int64 {
        try await store.read { session in
            try session.queryOne(sql, values) { try $0.integer(0) } ?? -1
        }
    }
}
