import RPC
import ServiceRuntime

/// A failed call, for the operator at the terminal: which service, where, why, and what to do.
struct CallFailure {
    let error: ServiceError
    /// The called service, `identity`.
    let service: String
    /// Its address, `127.0.0.1:7401`; empty if it is not known.
    let address: String
    /// What to do about a rejected field, by the field's name.
    var hints: [String: String] = [:]
    /// Similar names, if the method's may be misspelt.
    var suggestion: String?
    /// What it means that nothing was found, from a command that knows what it looked for.
    var notFound: String?

    /// The lines for standard error. What the peer wrote cannot make further lines.
    var lines: [String] {
        let place = address.isEmpty ? service : "\(service) at \(address)"
        let advice = error.fields.compactMap { hints[$0] }
        let lines =
            ["Error: \(place): \(error.code.rawValue): \(cause)"] + violations
            + (advice.isEmpty ? [generalAdvice].compactMap(\.self) : advice).map { "  \($0)" }
        return lines.map(\.printableLine)
    }

    /// The peer's message for developers or the reason of the connection, which are more precise
    /// than the sentence for users. A message that only repeats the code says nothing.
    private var cause: String {
        let detail = error.detail.trimmingPrefix("peer error: ")
        return detail.isEmpty || detail == error.code.rawValue ? error.userMessage : String(detail)
    }

    private var violations: [String] {
        error.violations.map { violation in
            let text = violation.userMessage.isEmpty ? violation.rule : violation.userMessage
            return "  not accepted: \(violation.field)" + (text.isEmpty ? "" : ": \(text)")
        }
    }

    /// No address could be reached until the end of a call whose deadline is short.
    private var isUnreached: Bool { error.notProcessed && !error.detail.isEmpty }

    private var generalAdvice: String? {
        if let wait = error.retryAfter { return "try again in \(wait.milliseconds) ms" }
        switch error.code {
        case .unavailable where ![service, ""].contains(error.unavailablePart):
            return "its part \(error.unavailablePart) fails: `postern status`, then its log"
        case .unavailable,
            .deadlineExceeded where isUnreached:
            return "is it running there? `postern status` asks all services; --endpoints or "
                + "\(Endpoints.pathVariable) names another endpoints.json"
        case .deadlineExceeded where ![service, ""].contains(error.unavailablePart):
            return
                "its part \(error.unavailablePart) did not answer in time: `postern status`, then "
                + "its log"
        case .deadlineExceeded:
            return "it did not answer in time: `postern top` shows the load; try again"
        case .unauthenticated:
            return "the service does not know this key: `postern applications list` shows which "
                + "servers have it"
        case .permissionDenied:
            return "the key of endpoints.json may not call this; the operator's is the one of tool"
        case .unknownMethod:
            return suggestion
                ?? "`postern methods` lists the methods of the running services, which may have "
                + "another version than this tool"
        case .notFound:
            return notFound ?? suggestion ?? "check for a typing mistake"
        case .internalError: return "a bug of the service: its log has the cause"
        default: return nil
        }
    }
}
