import Contracts
import Cryptography
import Messages
import ServiceRuntime
import Storage

/// `postern.session.v1.Sessions`: sessions and their tokens (S-01 … S-07). Each rpc is in the file
/// of its name: `createSession`, `refreshSession`, `validateAccessToken`, `inspectSession`,
/// `signOut`, `endAccountSessions`, `getKeySet`.
package struct SessionsHandler: SessionsService {
    let store: Store
    let keys: SessionKeys
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
        store: Store, keys: SessionKeys, settings: SessionSettings, memory: SessionMemory,
        accessTokens: AccessTokens, refreshTokens: RefreshTokenKeys, time: any Time,
        randomness: any Randomness
    ) {
        self.store = store
        self.keys = keys
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
    /// - Throws: `CryptographyError` when OpenSSL has no memory or no randomness.
    func issueTokens(for grant: TokenGrant) throws -> SessionV1.Tokens {
        let session = grant.session
        let unusedEnd = life.unusedEnd(of: session)
        let access = try accessTokens.issue(grant, sessionEnd: unusedEnd, randomness)
        let refresh = RefreshToken(session: session.id, counter: grant.counter)
        return SessionV1.Tokens(
            sessionId: session.id.text, accessToken: access.text,
            accessExpiresAtMs: access.expiresAt.milliseconds,
            refreshToken: refreshTokens.seal.text(of: refresh),
            idleExpiresAtMs: unusedEnd.milliseconds,
            expiresAtMs: life.ageEnd(of: session).milliseconds,
            serverTimeMs: time.now().milliseconds)
    }
}
