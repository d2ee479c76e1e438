package import Contracts
package import Messages
package import RPC

/// The sessions of who is signed in (G-22, S-06) and re-authentication (G-13): the gateway's second
/// public service.
package struct AccountSessions: AccountSessionsService {
    private let sessionList: SessionListFlow
    private let sessionEnding: SessionEndingFlow
    private let reauthentication: ReauthenticateFlow
    private let recentProof: CheckRecentProofFlow

    /// The flows, in front of the services.
    package init(
        accounts: any AccountsAPI, identities: any IdentitiesAPI, codes: any PhoneCodesAPI,
        sessions: any SessionsAPI, devices: any DevicesAPI, limits: LimitGuard
    ) {
        sessionList = SessionListFlow(devices: devices)
        sessionEnding = SessionEndingFlow(devices: devices)
        reauthentication = ReauthenticateFlow(
            accounts: accounts, identities: identities, codes: codes, sessions: sessions,
            devices: devices, limits: limits)
        recentProof = CheckRecentProofFlow(
            proofs: RecentProofs(accounts: accounts, devices: devices))
    }

    /// `SessionListFlow`.
    package func listSessions(
        _ request: GatewayV1.ListSessionsRequest, _ context: CallContext
    ) async throws -> GatewayV1.ListSessionsResponse {
        try await sessionList.run(request, context)
    }

    /// `SessionEndingFlow`.
    package func endSession(
        _ request: GatewayV1.EndSessionRequest, _ context: CallContext
    ) async throws -> GatewayV1.EndSessionResponse {
        try await sessionEnding.run(request, context)
    }

    /// `SessionEndingFlow`.
    package func endOtherSessions(
        _ request: GatewayV1.EndOtherSessionsRequest, _ context: CallContext
    ) async throws -> GatewayV1.EndOtherSessionsResponse {
        try await sessionEnding.run(request, context)
    }

    /// `ReauthenticateFlow`.
    package func reauthenticate(
        _ request: GatewayV1.ReauthenticateRequest, _ context: CallContext
    ) async throws -> GatewayV1.ReauthenticateResponse {
        try await reauthentication.run(request, context)
    }

    /// `CheckRecentProofFlow`.
    package func checkRecentProof(
        _ request: GatewayV1.CheckRecentProofRequest, _ context: CallContext
    ) async throws -> GatewayV1.CheckRecentProofResponse {
        try await recentProof.run(request, context)
    }
}
