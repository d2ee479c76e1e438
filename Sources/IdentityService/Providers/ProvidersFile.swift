import Cryptography
import Outbound
import ServiceRuntime

/// The operator's file of further OpenID providers, checked whole, with all its mistakes at once:
///
///     {"providers": [{
///         "name": "example",                          as calls and methods name it
///         "issuer": "https://id.example.org",         as its tokens have it, to the byte
///         "audiences": ["shop", "shop-ios"],          your client ids there
///         "keys-url": "https://id.example.org/keys",  left out: its description says where
///         "algorithms": ["RS256"],                    RS256, ES256; left out: RS256
///         "emails": "verified",                       none, verified; left out: none
///         "nonce": "required"                         required, optional; left out: required
///     }]}
///
/// `"emails": "verified"` lets this provider open every account whose address it claims to have
/// verified: only for one that is yours, or that you would trust with all of them.
struct ProvidersFile: Sendable {
    /// The largest file, in bytes.
    private static let bytesMax = 64 * 1_024

    /// What it sets up; empty where something is wrong with it.
    let providers: [Provider]
    /// What is wrong, each with its place.
    let mistakes: [String]

    /// Reads the file at `path`, beside those that are built in.
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
