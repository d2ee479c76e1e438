package import Cryptography
import Outbound

/// A service account of Google's, from the JSON file that its console hands out.
package struct GoogleAccount: Sendable {
    /// Why a file is none.
    package enum Mistake: String, Error {
        /// No JSON object, or without one of the members.
        case members = "is not a service account's JSON"
        /// Its key is no RSA key of 2,048 bits or more.
        case key = "holds no RSA private key"
        /// The place to ask for tokens is no https URL.
        case place = "names no https token_uri"
    }

    /// The project that its messages belong to.
    let project: String
    /// Who it is.
    let email: String
    /// Which of its keys this is.
    let keyID: String
    let key: RSASigningKey
    /// Where to ask for tokens.
    let tokenURL: HTTPURL

    /// Reads the file's text.
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
        // What is wrong with a key file is for nobody to read; that it is wrong is enough.
        guard let key = try? RSASigningKey(pem: SecretBytes(copying: pem.utf8)) else { throw .key }
        self.project = project
        self.email = email
        self.keyID = keyID
        self.key = key
        tokenURL = url
    }
}
