/// Why a transfer ended without a valid response.
package enum TransferFailure: String, CaseIterable, Sendable {
    /// The host's name resolves to an address that the destination's policy forbids.
    case addressForbidden = "address-forbidden"
    /// Too many transfers are running or waiting.
    case busy
    /// The caller cancelled it.
    case cancelled
    /// The client has been closed.
    case closed
    /// The connection broke, or the peer violated the protocol.
    case interrupted
    /// The peer rejected the user name or password.
    case loginRefused = "login-refused"
    /// The connection could not be encrypted, or the certificate is not valid for the host's name.
    case notEncrypted = "not-encrypted"
    /// Too many redirects, or a redirect to a forbidden scheme.
    case redirected
    /// The deadline passed.
    case timedOut = "timed-out"
    /// The response exceeds its limit.
    case tooLarge = "too-large"
    /// The name does not resolve, or the host cannot be reached.
    case unreachable
    /// libcurl rejected the transfer itself: an error of this program or of the settings.
    case invalid
}
