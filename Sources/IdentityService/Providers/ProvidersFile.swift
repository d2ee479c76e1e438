import JSON
import Outbound
import ServiceRuntime

/// The operator's file of further OpenID providers. It is validated completely, and all mistakes
/// are reported at once:
///
///     {"providers": [{
///         "name": "example",                          the name in calls and lists of methods
///         "issuer": "https://id.example.org",         as in its tokens, byte for byte
///         "audiences": ["shop", "shop-ios"],          your client ids there
///         "keys-url": "https://id.example.org/keys",  default: from its discovery document
///         "algorithms": ["RS256"],                    RS256, ES256; default: RS256
///         "emails": "verified",                       none, verified; default: none
///         "nonce": "required"                         required, optional; default: required
///     }]}
///
/// `"emails": "verified"` lets this provider open every account whose address it claims to have
/// verified. Use it only for a provider that is yours, or that you would trust with all accounts.
struct ProvidersFile: Sendable {
    /// The largest file, in bytes.
    private static let bytesMax = 64 * 1_024

    /// The providers of the file; empty when it has mistakes.
    let providers: [Provider]
    /// The mistakes, each with its position.
    let mistakes: [String]

    /// Reads the file at `path`. Names and issuers must differ from those of `built`.
    init(path: String, beside built: [Provider], allowsPlain: Bool) {
        switch FileText.read(path, bytesMax: Self.bytesMax) {
        case .failure(let failure):
            self.init(mistakes: ["\(path): \(failure.sentence)"])
        case .success(let bytes):
            self.init(bytes, path: path, beside: built, allowsPlain: allowsPlain)
        }
    }

    private init(providers: [Provider] = [], mistakes: [String]) {
        self.providers = mistakes.isEmpty ? providers : []
        self.mistakes = mistakes
    }

    private init(
        _ bytes: [UInt8], path: String, beside built: [Provider], allowsPlain: Bool
    ) {
        guard let object = JSONReader.object(in: bytes), object.members.count == 1,
            let entries = object["providers"]?.array
        else {
            self.init(mistakes: ["\(path): not an object with an array \"providers\" alone"])
            return
        }
        var mistakes: [String] = []
        if entries.count > ProvidersSettings.countMax - BuiltInProvider.allCases.count {
            mistakes.append("\(path): more than \(ProvidersSettings.countMax) providers")
        }
        var providers = built
        for (number, entry) in entries.enumerated() {
            let place = "\(path): provider \(number + 1)"
            var reading = ProviderEntry(entry.object ?? [:], place: place)
            if let provider = reading.provider(beside: providers, allowsPlain: allowsPlain) {
                providers.append(provider)
            }
            mistakes += reading.mistakes
        }
        self.init(providers: Array(providers.dropFirst(built.count)), mistakes: mistakes)
    }
}
