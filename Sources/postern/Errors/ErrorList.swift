import RPC
import ServiceRuntime

/// The catalogue as people and programs read it.
enum ErrorList {
    /// A line for each code, its sentence below.
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

    /// A list of objects, one a line. Nothing in a code or a sentence needs escaping but quotes and
    /// backslashes, which a test keeps out of them.
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
