import COpenSSL

/// Errors of this module other than rejected input (`TokenRefusal`, `SealedBoxError`, …).
package enum CryptographyError: Error, Equatable, CustomStringConvertible {
    /// OpenSSL or libargon2 failed. The text is for the log.
    case library(String)
    /// A key is not of the required kind, length or curve.
    case invalidKey(String)
    /// A setting is out of range.
    case invalidSetting(String)
    /// The system has no thread or memory available. The number is `errno`.
    case system(String, Int32)

    package var description: String {
        switch self {
        case .library(let text), .invalidKey(let text), .invalidSetting(let text): text
        case .system(let text, let code): "\(text): \(String(cString: strerror(code)))"
        }
    }

    /// OpenSSL's latest error on this thread. Clears the thread's error queue, so that no old error
    /// is reported later.
    static func library(_ operation: StaticString) -> CryptographyError {
        let code = ERR_peek_last_error()
        ERR_clear_error()
        guard code != 0, let reason = ERR_reason_error_string(code) else {
            return .library("\(operation)")
        }
        return .library("\(operation): \(String(cString: reason))")
    }
}
