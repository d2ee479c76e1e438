import ServiceRuntime

/// One attempt's failover from server to server. Pure.
///
/// | so far | outcome after the last server |
/// |---|---|
/// | some server failed | failed, with the reason of the last one |
/// | else some server did not support the address | refused |
/// | else all were skipped | unavailable until the first of them opens |
struct SMTPFailover: Sendable {
    private var failure: String?
    private var isUnsupported = false
    private var closed: (reason: String, until: Timestamp)?

    /// The server's guard did not admit the call.
    mutating func skip(_ reason: String, until: Timestamp) {
        if let closed, closed.until <= until { return }
        closed = (reason, until)
    }

    /// A server has answered.
    /// - Returns: the attempt's outcome; nil if the next server must be tried.
    mutating func record(_ verdict: MailVerdict) -> DeliveryOutcome? {
        switch verdict {
        case .taken: return .taken
        case .addressDead(let reason): return .refused(reason, addressIsDead: true)
        case .refused(let reason): return .refused(reason, addressIsDead: false)
        case .later(let reason): return .failed(reason, retryAfter: MailVerdict.retryDelayMin)
        case .uncertain(let reason): return .uncertain(reason)
        case .abandoned(let reason): return .failed(reason)
        case .unsupported: isUnsupported = true
        case .serverFailed(let reason): failure = reason
        }
        return nil
    }

    /// The outcome when no server is left.
    var outcome: DeliveryOutcome {
        if let failure { return .failed(failure) }
        if isUnsupported { return .refused("smtp-no-smtputf8", addressIsDead: false) }
        guard let closed else { return .failed(.noServer) }
        return .unavailable(closed.reason, until: closed.until)
    }
}
