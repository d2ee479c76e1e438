import RPC
import ServiceRuntime

/// The error catalogue as text and as JSON.
enum ErrorList {
    /// A line for each code, with its sentence below.
    static func lines(_ codes: [ErrorCode], _ language: ErrorLanguage) -> [String] {
        codes.flatMap { code in
            let entry = code.entry
            let retry = entry.isRetryable ? ", may be tried again" : ""
            return [
                "\(code.rawValue)  \(entry.status.name)\(retry), next: \(entry.next.rawValue)",
                "    \(code.sentence(in: language))",
            ]
        }
    }

    /// A list of objects, one per line. Codes and sentences need no escaping: a test checks that
    /// they contain no quotes and backslashes.
    static func json(_ codes: [ErrorCode], _ language: ErrorLanguage) -> [String] {
        let objects = codes.map { code in
            let entry = code.entry
            return """
                {"code": "\(code.rawValue)", "status": "\(entry.status.name)", \
                "retryable": \(entry.isRetryable), "action": "\(entry.next.rawValue)", \
                "userMessage": "\(code.sentence(in: language))"}
                """
        }
        return ["[\n  " + objects.joined(separator: ",\n  ") + "\n]"]
    }
}
