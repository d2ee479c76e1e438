import Contracts
import ServiceRuntime

/// The tokens that a caller gets: decided and durable before any is issued.
struct TokenGrant: Hashable, Sendable {
    let session: Session
    /// The counter of the refresh token.
    let counter: Int64
    /// The issue time of the access token.
    let givenAt: Timestamp

    /// The tokens of a session's leaf.
    init(session: Session, givenAt: Timestamp) {
        self.session = session
        counter = session.counter
        self.givenAt = givenAt
    }

    /// A new access token for the holder of one. It has that token's counter and not the leaf's:
    /// the leaf's response may be lost, and a use of this token must not confirm it (G-10).
    init(session: Session, reissuing shown: AccessToken, givenAt: Timestamp) {
        self.session = session
        // Tokens issued before counters existed have none; 0 confirms nothing.
        counter = shown.counter ?? 0
        self.givenAt = givenAt
    }

    /// The same tokens as in `first` (G-25). The access token keeps its issue time: a retry, by the
    /// caller or an eavesdropper, gives no more than the first response did.
    init(session: Session, repeating first: StoredResponse) {
        self.session = session
        counter = first.counter
        givenAt = first.givenAt
    }
}
