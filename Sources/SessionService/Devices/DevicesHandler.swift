import Contracts
import ServiceRuntime
import Storage

/// `postern.session.v1.Devices`: what the owner of a session can see and do with the account's
/// sessions (G-22, G-13). Each rpc is in the file of its name: `listSessions`, `endSession`,
/// `endOtherSessions`, `reauthenticate`, `listProofs`.
package struct DevicesHandler: DevicesService {
    let store: Store
    let keys: SessionKeys
    let life: SessionLife
    let memory: SessionMemory
    let accessTokens: AccessTokens
    let time: any Time
    let randomness: any Randomness

    /// The token's session, if its row shows that it is live; nil where it is over.
    func liveSession(
        _ token: AccessToken, _ store: some SQLSession, at now: Timestamp
    ) throws -> Session? {
        guard let session = try store.session(token.session).map(memory.activity.applied(to:)),
            session.account == token.account, life.state(of: session, at: now) == .live
        else { return nil }
        return session
    }
}
