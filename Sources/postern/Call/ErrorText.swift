import Messages
import RPC
import ServiceRuntime

/// An error of the catalogue as JSON, in the mapping of `postern.wire.v1.Error`.
enum ErrorText {
    static func json(_ error: ServiceError) -> String {
        let entry = error.code.entry
        var fields = [
            "\"code\": \"\(error.code.rawValue)\"",
            "\"userMessage\": \"\(escaped(error.sentence ?? entry.sentence))\"",
            "\"retryable\": \(entry.isRetryable)", "\"action\": \"\(entry.next.rawValue)\"",
        ]
        if let wait = error.retryAfter {
            fields.append("\"retryAfterMs\": \"\(wait.milliseconds)\"")
        }
        if !error.fields.isEmpty {
            let names = error.fields.map { "\"\(escaped($0))\"" }.joined(separator: ", ")
            fields.append("\"fields\": [\(names)]")
        }
        return "{\n  " + fields.joined(separator: ",\n  ") + "\n}"
    }

    private static func escaped(_ text: String) -> String {
        String(
            text.unicodeScalars.filter { $0.value >= 0x20 && $0 != "\"" && $0 != "\\" }
                .map(Character.init))
    }
}
