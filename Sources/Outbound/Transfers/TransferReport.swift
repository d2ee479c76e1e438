import CCurl

/// libcurl's report on a transfer that it has run.
struct TransferReport: Sendable {
    let code: UInt32
    /// The last SMTP or HTTP status code. 0 for none.
    let answer: Int
    let uploadedBytes: Int
    let isAddressForbidden: Bool
    /// The pooled connection that libcurl chose has other terms.
    let isPoolRefused: Bool
    /// The number of connections opened for the transfer. 0 when it used a pooled one.
    let connectionsOpened: Int
    /// A mail server's latest reply to a step of the mail. Nil before the first.
    let mailAnswer: SMTPAnswer?
    /// The mail server does not support the mail's addresses.
    let isMailUnsupported: Bool

    var isSuccess: Bool { code == CURLE_OK.rawValue }

    /// libcurl's code for a peer that rejected a command (or for a failed send).
    var isSendRefused: Bool { code == CURLE_SEND_ERROR.rawValue }

    /// libcurl's codes for an unexpected response.
    var isOddAnswer: Bool {
        code == CURLE_WEIRD_SERVER_REPLY.rawValue || code == CURLE_RECV_ERROR.rawValue
    }

    /// Whether to retry on a new connection. True where the pooled connection has other terms, or
    /// the peer had closed it, or closed it in reply (SMTP's 421). Nothing has been sent then, so
    /// that the retry is safe.
    var wantsNewConnection: Bool {
        guard connectionsOpened == 0, uploadedBytes == 0 else { return false }
        return isPoolRefused
            || (isSendRefused || isOddAnswer) && (answer == 0 || answer == 421)
    }

    /// The failure of a transfer that was not successful.
    var failure: TransferFailure {
        if isAddressForbidden { return .addressForbidden }
        switch CURLcode(rawValue: code) {
        case CURLE_COULDNT_RESOLVE_HOST: return .unresolved
        case CURLE_COULDNT_CONNECT: return .unreachable
        case CURLE_OPERATION_TIMEDOUT: return .timedOut
        case CURLE_LOGIN_DENIED: return .loginRefused
        case CURLE_USE_SSL_FAILED, CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION,
            CURLE_SSL_CACERT_BADFILE:
            return .notEncrypted
        case CURLE_TOO_MANY_REDIRECTS: return .redirected
        // The scheme of the first URL was checked, so this one comes from a redirect; or the peer
        // does not speak HTTP at all, and may have received the request all the same.
        case CURLE_UNSUPPORTED_PROTOCOL:
            return (300..<400).contains(answer) ? .redirected : .interrupted
        case CURLE_URL_MALFORMAT, CURLE_BAD_FUNCTION_ARGUMENT,
            CURLE_FAILED_INIT, CURLE_OUT_OF_MEMORY, CURLE_UNKNOWN_OPTION:
            return .invalid
        default: return .interrupted
        }
    }
}

/// Why a transfer ended without a valid response.
package enum TransferFailure: String, CaseIterable, Error {
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
    /// The host refuses the connection, or cannot be reached.
    case unreachable
    /// The host's name does not resolve.
    case unresolved
    /// libcurl rejected the transfer itself: an error of this program or of the settings.
    case invalid
}
