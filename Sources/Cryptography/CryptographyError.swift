import COpenSSL

/// What can go wrong in this module besides a refusal (`TokenRefusal`, `SealedBoxError`, …).
package enum CryptographyError: Error, Equatable {
    /// The library refused or failed; the text is for the log.
    case library(String)
    /// A key is not of the kind, the length or the curve that is asked for.
    case invalidKey(String)
    /// A setting is beyond its limits.
    case invalidSetting(String)
    /// A thread or memory could not be had from the system; `errno`'s value.
    case system(String, Int32)

    /// The library's own account of its latest failure on this thread; empties its list, so that
    /// nothing old is told later.
    static func library(_ operation: StaticString) -> CryptographyError {
        let code = ERR_peek_last_error()
        ERR_clear_error()
        guard code != 0, let reason = ERR_reason_error_string(code) else {
            return .library("\(operation)")
        }
        return .library("\(operation): \(String(cString: reason))")
    }
}
