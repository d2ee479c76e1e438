package import Cryptography
import JSON
import Outbound

/// A Google service account, from the JSON file that Google's console issues.
package struct GoogleAccount: Sendable {
    /// Why a file is invalid.
    package enum Mistake: String, Error {
        /// Not a JSON object, or a member is missing.
        case members = "is not a service account's JSON"
        /// The key is not an RSA key of 2,048 bits or more.
        case key = "has no RSA private key"
        /// The token URL is not an https URL.
        case place = "has no https token_uri"
    }

    /// The project of its messages.
    let project: String
    /// The account's email address.
    let email: String
    /// The id of its key.
    let keyID: String
    let key: RSASigningKey
    /// The URL for tokens.
    let tokenURL: HTTPURL

    /// Parses the file's text.
    /// - Throws: `Mistake`.
    package init(json: SecretBytes, allowsPlain: Bool) throws(Mistake) {
        let object = json.withBytes { bytes -> JSONObject? in
            var copy = Array(bytes)
            defer { wipe(&copy) }
            return JSONReader.object(in: copy)
        }
        guard let object, let project = object["project_id"]?.string,
            let email = object["client_email"]?.string,
            let keyID = object["private_key_id"]?.string,
            let pem = object["private_key"]?.string, let place = object["token_uri"]?.string
        else { throw .members }
        guard let url = HTTPURL(place, allowsPlain: allowsPlain) else { throw .place }
        // The cause is not reported, because it could reveal parts of the key.
        guard let key = try? RSASigningKey(pem: SecretBytes(copying: pem.utf8)) else { throw .key }
        self.project = project
        self.email = email
        self.keyID = keyID
        self.key = key
        tokenURL = url
    }
}
