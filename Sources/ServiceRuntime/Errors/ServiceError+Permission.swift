/// `rpc/permission-denied` with what would permit the call, so that an operator or a developer need
/// not search for it. The sentence crosses to the caller:
///
///     refused by                          what the sentence names
///     the server of each program          its list of callers
///     Admin                               `account-admins` of identity
///     services of backends                `document-writers`, `push-senders`, `account-managers`
///     Limits/Reset                        `resets-from` of the rate limiter
///     rpcs between the programs           the programs that may call; no setting permits others
///     the web service, about an app       `methods` and `origins` of its apps file
///
/// Attack: the owner of a stolen key asks which other key would do. So a sentence names the setting
/// and the caller itself, never what else the setting names.
extension ServiceError {
    /// What the violation is about.
    private static var callingApplication: String { "application" }

    /// A setting does not name the application that calls.
    /// - Parameters:
    ///   - setting: its name, `account-admins`.
    ///   - program: whose setting it is, `identity`.
    package static func notNamed(
        _ application: String, by setting: String, of program: String
    ) -> ServiceError {
        notPermitted("The setting \(setting) of \(program) does not name \(application).")
    }

    /// A program's list of callers does not permit the method to the application that calls.
    /// - Parameter service: the program's service, `postern.gateway`.
    package static func notListed(
        _ application: String, for method: String, by service: String
    ) -> ServiceError {
        var error = notPermitted(
            "The callers list of \(service) (callers-file, or the setting callers) does not "
                + "permit \(method) to \(application).")
        error.notProcessed = true
        return error
    }

    /// Only some of our own programs may call, whatever the settings are.
    /// - Parameter callers: such as "identity".
    package static func permitted(onlyTo callers: String) -> ServiceError {
        notPermitted("Only \(callers) may call this. No setting permits it to others.")
    }

    private static func notPermitted(_ sentence: String) -> ServiceError {
        var error = ServiceError(.permissionDenied, detail: sentence)
        error.violations = [Violation(field: callingApplication, sentence: sentence)]
        return error
    }
}
