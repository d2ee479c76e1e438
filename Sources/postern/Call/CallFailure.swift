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

    /// The lines for standard error.
    var lines: [String] {
        let place = address.isEmpty ? service : "\(service) at \(address)"
        let advice = error.fields.compactMap { hints[$0] }
        return ["Error: \(place): \(error.code.rawValue): \(cause)"] + violations
            + (advice.isEmpty ? [generalAdvice].compactMap(\.self) : advice).map { "  \($0)" }
    }

    /// The peer's message for developers or the reason of the connection, which are more precise
    /// than the sentence for users.
    private var cause: String {
        let detail = error.detail.trimmingPrefix("peer error: ")
        return detail.isEmpty ? error.userMessage : String(detail)
    }

    private var violations: [String] {
        error.violations.map { violation in
            let text = violation.userMessage
            return "  not accepted: \(violation.field)" + (text.isEmpty ? "" : ": \(text)")
        }
    }

    private var generalAdvice: String? {
        if let wait = error.retryAfter { return "try again in \(wait.milliseconds) ms" }
        switch error.code {
        case .unavailable where !error.unavailablePart.isEmpty:
            return "its part \(error.unavailablePart) fails: `postern status`, then its log"
        case .unavailable:
            return "is it running? `postern status` asks all services; --endpoints or "
                + "\(Endpoints.pathVariable) names another endpoints.json"
        case .deadlineExceeded:
            return "it did not answer in time: `postern top` shows the load; try again"
        case .unauthenticated:
            return "the service does not know this key: `postern applications list` shows which "
                + "servers have it"
        case .permissionDenied:
            return "the key of endpoints.json may not call this; the operator's is the one of tool"
        case .unknownMethod:
            return "the service has another version than this tool: `postern methods` lists its own"
        case .notFound: return "check the id or address for a typing mistake"
        case .internalError: return "a bug of the service: its log has the cause"
        default: return nil
        }
    }
}
