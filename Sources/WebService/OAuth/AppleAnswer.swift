import Cryptography
import JSON

/// What Apple posts after its dialog, as parameters of a URL.
///
/// | field | at most | what |
/// |---|---|---|
/// | `state` | 512 bytes | what the app gave the dialog: its name, a dot, and a random text |
/// | `code` | 1 KiB | the authorization code |
/// | `id_token` | 4 KiB | the ID token |
/// | `user` | 2 KiB | JSON with the name and address, at the first sign-in |
/// | `error` | 128 bytes | why there is none of these, such as `user_cancelled_authorize` |
///
/// Anybody can post them, so none is believed here: the app compares `state` with the one that it
/// made, and identity the token's nonce.
struct AppleAnswer: Hashable, Sendable {
    /// The name of the app that it is for, by `state`.
    let app: String
    /// The fields, as the query of a URL. What is no letter or digit of ASCII in a value is
    /// percent-encoded, so that no value ends the part of the URL that it is in.
    let parameters: String

    private enum Field: String, CaseIterable {
        case state, code, user, error
        case idToken = "id_token"

        var bytesMax: Int {
            switch self {
            case .state: 512
            case .code: 1_024
            case .idToken: 4_096
            case .user: 2_048
            case .error: 128
            }
        }
    }

    /// Reads a post. Nil for a value that is too long, and for a `state` without an app's name.
    /// Fields that Apple does not have are left out, and so is a `user` that is not of Apple's form:
    /// it is not worth a sign-in.
    init?(_ form: FormParameters) {
        var parameters: [String] = []
        for field in Field.allCases {
            guard let given = form[field.rawValue] else { continue }
            guard given.utf8.count <= field.bytesMax else { return nil }
            guard let value = field == .user ? Self.user(given) : given else { continue }
            parameters.append("\(field.rawValue)=\(Self.percentEncoded(value))")
        }
        let parts = (form[Field.state.rawValue] ?? "").utf8
            .split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        app = String(Substring(parts[0]))
        self.parameters = parameters.joined(separator: "&")
    }

    /// The members of `user` that Apple documents; nil without any.
    private static func user(_ text: String) -> String? {
        guard let given = JSONReader.object(in: Array(text.utf8)) else { return nil }
        func texts(_ object: JSONObject?, _ names: [String]) -> JSONObject {
            names.reduce(into: JSONObject()) { texts, name in
                if let text = object?[name]?.string { _ = texts.add(name, .string(text)) }
            }
        }
        let name = texts(given["name"]?.object, ["firstName", "lastName"])
        var user = texts(given, ["email"])
        if !name.members.isEmpty { _ = user.add("name", .object(name)) }
        return user.members.isEmpty ? nil : JSONWriter.text(user)
    }

    private static func percentEncoded(_ text: String) -> String {
        text.utf8.reduce(into: "") { out, byte in
            if byte != UInt8(ascii: "-"), byte != UInt8(ascii: "_"), byte.isBase64URLDigit {
                out.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                out += "%" + Hex.encode([byte]).uppercased()
            }
        }
    }
}
