import Contracts
import Cryptography
package import Messages
package import RPC
import ServiceRuntime
import Storage

/// `postern.session.v1.Sessions`, and what session implements of `postern.gateway.v1.Auth` and
/// `Verification`: sessions and their tokens (S-01 … S-07).
package struct SessionsHandler: SessionsService, SessionAuthService, SessionVerificationService {
    let store: Store
    let keys: SessionKeys
    let proofs: SignInProofReader
    let settings: SessionSettings
    let life: SessionLife
    let memory: SessionMemory
    /// Issues and verifies access tokens.
    let accessTokens: AccessTokens
    /// Issues and verifies refresh tokens.
    let refreshTokens: RefreshTokenKeys
    let validation: Validation
    let time: any Time
    let randomness: any Randomness

    init(
        store: Store, keys: SessionKeys, proofs: SignInProofReader, settings: SessionSettings,
        memory: SessionMemory, accessTokens: AccessTokens, refreshTokens: RefreshTokenKeys,
        time: any Time, randomness: any Randomness
    ) {
        self.store = store
        self.keys = keys
        self.proofs = proofs
        self.settings = settings
        life = SessionLife(settings)
        self.memory = memory
        self.accessTokens = accessTokens
        self.refreshTokens = refreshTokens
        validation = Validation(
            accessTokens: accessTokens, memory: memory, time: time, clock: store.clock)
        self.time = time
        self.randomness = randomness
    }

    /// Issues the tokens of a grant whose commit has returned.
    /// - Throws: `CryptographyError` when OpenSSL has no memory or no randomness, and for claims that
    ///   do not decrypt.
    func issueTokens(for grant: TokenGrant) throws -> GatewayV1.Session {
        let session = grant.session
        let unusedEnd = life.unusedEnd(of: session)
        let access = try accessTokens.issue(
            grant, sessionEnd: unusedEnd, keys.claims, randomness)
        let refresh =
            session.isBrief
            ? ""
            : refreshTokens.seal(at: time.now()).text(
                of: RefreshToken(session: session.id, counter: grant.counter))
        return GatewayV1.Session(
            sessionId: session.id.text, accessToken: access.text,
            accessExpiresAtMs: access.expiresAt.milliseconds,
            refreshToken: refresh, idleExpiresAtMs: unusedEnd.milliseconds,
            expiresAtMs: life.ageEnd(of: session).milliseconds,
            answeredAtMs: time.now().milliseconds)
    }
}

extension SessionsHandler {
    /// Returns the state of an access token's session, however old the token, with the reason of
    /// its end (G-01). The response to a token that is not ours is empty. Identity also asks for a
    /// session by its id, whose link a page brings (G-32).
    package func inspectSession(
        _ request: SessionV1.InspectSessionRequest, _ context: CallContext
    ) async throws -> SessionV1.InspectSessionResponse {
        try store.clock.requireAnswering()
        let now = time.now()
        let token = accessTokens.readRetired(request.accessToken, at: now)
        let named = request.accessToken.isEmpty ? SessionID(text: request.sessionId) : nil
        guard let id = token?.session ?? named else { return SessionV1.InspectSessionResponse() }
        let (stored, isDeleted) = try await store.read { store in
            let session = try memory.session(id, in: store)
            let isUnknown = session == nil
            return (session, try isUnknown && store.isOfDeletedAccount(id, keys))
        }
        let isCurrent = token.map { now < $0.expiresAt } ?? false
        guard let session = stored else {
            guard isDeleted, let token else { return SessionV1.InspectSessionResponse() }
            return SessionV1.InspectSessionResponse(
                known: true, sessionId: id.text, accountId: token.account.text,
                endReason: .accountDeleted, accessTokenCurrent: isCurrent)
        }
        let state = life.state(of: session, at: now)
        return SessionV1.InspectSessionResponse(
            known: true, sessionId: session.id.text, accountId: session.account.text,
            live: state == .live, endReason: state.reason?.message ?? .unspecified,
            accessTokenCurrent: isCurrent)
    }

    /// Returns the JWKS of access tokens (`CurrentSigningKeys`), and their issuer.
    package func getKeySet(
        _ request: GatewayV1.GetKeySetRequest, _ context: CallContext
    ) throws -> GatewayV1.GetKeySetResponse {
        try context.requireGateway()
        return GatewayV1.GetKeySetResponse(
            jwks: accessTokens.keys.current.keySetText, issuer: accessTokens.issuer)
    }

    /// Whether an access token is valid now (RFC 7662). A token that is expired, ended or not ours
    /// gives the same empty response, so that it says nothing about other installations' tokens.
    package func introspectToken(
        _ request: GatewayV1.IntrospectTokenRequest, _ context: CallContext
    ) async throws -> GatewayV1.IntrospectTokenResponse {
        try context.requireGateway()
        guard let token = try validation.token(request.accessToken) else {
            return GatewayV1.IntrospectTokenResponse()
        }
        return GatewayV1.IntrospectTokenResponse(
            active: true, sessionId: token.session.text, accountId: token.account.text,
            authenticatedAtMs: token.authenticatedAt.milliseconds, amr: token.methods,
            expiresAtMs: token.expiresAt.milliseconds, acr: token.assurance?.rawValue ?? "",
            roles: token.roles, claimsJson: token.customJSON)
    }
}
