import Glibc
import JSON

/// The request in the command that `postern up` prints, which signs a person up.
enum SignUpExample {
    /// Older than any `age-minimum`.
    private static let birthDate = "1970-01-01"

    /// The request as JSON, in a form that a shell takes as one word.
    ///
    ///     setting of identity     the request has
    ///     password-policy: nist   a longer password
    ///     consent: required       both versions
    ///     age-gate: required      a birth date
    ///
    /// - Parameter variable: The value of an environment variable, which this process and its
    ///   programs share.
    static func request(
        _ variable: (String) -> String? = EnvironmentVariable.value
    ) -> String {
        let isLong = variable("POSTERN_PASSWORD_POLICY") == "nist"
        let password = isLong ? "Correct7HorseBattery" : "Correct7Horse"
        var request: JSONObject = [
            "email": .string("ada@example.org"), "password": .string(password),
            "device": .object(["deviceId": .string("d1"), "platform": .string("cli")]),
        ]
        var acceptance = JSONObject()
        if variable("POSTERN_CONSENT") == "required" {
            acceptance = [
                "termsVersion": .string(variable("POSTERN_TERMS_VERSION") ?? ""),
                "privacyVersion": .string(variable("POSTERN_PRIVACY_VERSION") ?? ""),
            ]
        }
        if variable("POSTERN_AGE_GATE") == "required" {
            _ = acceptance.add("birthDate", .string(birthDate))
        }
        if !acceptance.members.isEmpty { _ = request.add("acceptance", .object(acceptance)) }
        // A quote in a version would end the word.
        return "'" + JSONWriter.text(request).replacing("'", with: "'\\''") + "'"
    }
}
