import Contracts
import Messages
import RPC
import ServiceRuntime

extension SessionsAPI {
    /// The token of the session that an app has while its user signs up or in. A guest's account is
    /// upgraded; any other account is refused with `auth/already-signed-in`. The identity service
    /// decides which it is, by the token that this function returns and the flow sends to it.
    ///
    ///     the app's access token               result
    ///     none, or not issued by us            empty: the identity service gets no token
    ///     of a session that has ended          empty: there is no guest to upgrade
    ///     expired, of a live session           throws auth/invalid-access-token: refresh first
    ///     valid                                the token itself
    ///
    /// An expired token must not count as none. Otherwise the guest's data would stay in an account
    /// that can no longer be reached, while the user believes it was kept.
    ///
    /// A retry of a call that upgraded a guest may come after the guest's session has ended. It
    /// sends no token, and the identity service finds the first call by its idempotency key (G-25).
    ///
    /// - Returns: the access token to send to the identity service; empty for none.
    /// - Throws: `auth/invalid-access-token`.
    func callerToken(_ accessToken: String, _ context: CallContext) async throws -> String {
        guard !accessToken.isEmpty else { return "" }
        let validity = try await validate(
            SessionV1.ValidateRequest(accessToken: accessToken), context.onward())
        if validity.valid { return accessToken }
        let state = try await inspect(
            SessionV1.InspectRequest(accessToken: accessToken), context.onward())
        if state.known && state.live { throw ServiceError(.invalidAccessToken) }
        return ""
    }

    /// The session and account of an access token, for calls that only the session's owner may
    /// make.
    /// - Throws: `auth/invalid-access-token` unless the token is valid now.
    func live(
        _ accessToken: String, _ context: CallContext
    ) async throws -> SessionV1.ValidateResponse {
        let validity = try await validate(
            SessionV1.ValidateRequest(accessToken: accessToken), context.onward())
        guard validity.valid else { throw ServiceError(.invalidAccessToken) }
        return validity
    }

    /// Opens a session with the identity service's proof, bound to the device's key where it has
    /// one. Every sign-in ends with this call.
    /// - Throws: `auth/invalid-sign-in-proof`, `auth/session-ended` where a retried call's session
    ///   has ended, `auth/device-key-required`, `auth/invalid-device-key`,
    ///   `auth/idempotency-key-reused`.
    func open(
        by proof: IdentityV1.SignInProof?, on device: GatewayV1.Device?,
        from origin: IdentityV1.Origin, _ onward: CallContext
    ) async throws -> GatewayV1.Session? {
        let opened = try await create(
            SessionV1.CreateRequest(
                proof: proof, origin: origin, deviceKey: device?.key.map(SessionV1.DeviceKey.init)),
            onward)
        return opened.tokens.map(GatewayV1.Session.init)
    }
}

extension GatewayV1.Session {
    /// Converts the session service's tokens.
    init(_ tokens: SessionV1.Tokens) {
        self.init(
            sessionId: tokens.sessionId, accessToken: tokens.accessToken,
            accessExpiresAtMs: tokens.accessExpiresAtMs, refreshToken: tokens.refreshToken,
            idleExpiresAtMs: tokens.idleExpiresAtMs, expiresAtMs: tokens.expiresAtMs,
            serverTimeMs: tokens.serverTimeMs)
    }
}
