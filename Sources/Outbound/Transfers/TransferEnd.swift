import CCurl

/// How a transfer ended, before its protocol gives it a meaning.
enum TransferEnd: Sendable {
    /// libcurl has not run it, or not to its end.
    case notRun(TransferFailure)
    /// libcurl has run it.
    case run(TransferReport)
}

/// What libcurl says of a transfer that it has run.
struct TransferReport: Sendable {
    let code: UInt32
    /// The last answer's code, 0 for none: of SMTP or HTTP.
    let answer: Int
    let uploadedBytes: Int
    let isAddressForbidden: Bool
    /// It was lent a connection from the pool that it may not use.
    let isPoolRefused: Bool
    /// How many connections were opened for it; 0 when it was given one from the pool.
    let connectionsOpened: Int
    /// A mail server's latest answer to a step of the mail; nil while there was none.
    let mailAnswer: SMTPAnswer?
    /// The mail server cannot take the mail's addresses.
    let isMailUnsupported: Bool

    var isSuccess: Bool { code == CURLE_OK.rawValue }

    /// libcurl's word for a peer that said no to a command of ours (or for a broken send).
    var isSendRefused: Bool { code == CURLE_SEND_ERROR.rawValue }

    /// libcurl's words for an answer that it did not want.
    var isOddAnswer: Bool {
        code == CURLE_WEIRD_SERVER_REPLY.rawValue || code == CURLE_RECV_ERROR.rawValue
    }

    /// The pool gave a connection that is not ours to use, or that the peer had closed already, or
    /// closed in answer (SMTP's 421). Nothing has been sent, so the same transfer may have a new
    /// one.
    var wantsNewConnection: Bool {
        guard connectionsOpened == 0, uploadedBytes == 0 else { return false }
        return isPoolRefused
            || (isSendRefused || isOddAnswer) && (answer == 0 || answer == 421)
    }

    /// The failure, for a transfer that was no success.
    var failure: TransferFailure {
        if isAddressForbidden { return .addressForbidden }
        switch CURLcode(rawValue: code) {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT: return .unreachable
        case CURLE_OPERATION_TIMEDOUT: return .timedOut
        case CURLE_LOGIN_DENIED: return .loginRefused
        case CURLE_USE_SSL_FAILED, CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION,
            CURLE_SSL_CACERT_BADFILE:
            return .notEncrypted
        case CURLE_TOO_MANY_REDIRECTS: return .redirected
        // The first URL was checked, so another scheme is a redirect's.
        case CURLE_UNSUPPORTED_PROTOCOL: return .redirected
        case CURLE_URL_MALFORMAT, CURLE_BAD_FUNCTION_ARGUMENT,
            CURLE_FAILED_INIT, CURLE_OUT_OF_MEMORY, CURLE_UNKNOWN_OPTION:
            return .invalid
        default: return .interrupted
        }
    }
}
