/// Why a transfer did not come to an end that the other side had a word in.
package enum TransferFailure: String, CaseIterable, Sendable {
    /// The host's name resolves to an address that the destination's policy forbids.
    case addressForbidden = "address-forbidden"
    /// Too many transfers wait already.
    case busy
    /// The caller gave up.
    case cancelled
    /// This client has been closed.
    case closed
    /// The connection broke, or the peer spoke nonsense.
    case interrupted
    /// The peer does not accept our user and password.
    case loginRefused = "login-refused"
    /// No encrypted connection, or not with the host whose name was dialled.
    case notEncrypted = "not-encrypted"
    /// More redirects than are followed, or one to where none may lead.
    case redirected
    /// The deadline passed.
    case timedOut = "timed-out"
    /// The answer is larger than it may be.
    case tooLarge = "too-large"
    /// The name does not resolve, or nobody answers there.
    case unreachable
    /// libcurl refuses the transfer itself: a mistake of ours or of the settings.
    case invalid
}
