import Contracts
import Cryptography
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import PosternClient

@Suite("The settings of a client and the options of its calls")
struct ClientSettingsTests {
    private let folder: TemporaryFolder
    private let keyFile: String

    init() throws {
        folder = try TemporaryFolder()
        keyFile = folder.file("app.k1.key")
        try SecretFile.create(keyFile, SecretBytes(count: 32) { $0.copyBytes(from: 1...32) })
    }

    @Test("an address beyond loopback needs roots or a trusted network")
    func plaintext() throws {
        for address in ["10.0.0.7:7400", "gateway.internal:7400", "127.0.0.1.example.org:7400"] {
            let error = #expect(throws: InvalidSettings.self) {
                try PosternClient(addresses: ["127.0.0.1:7400", address], keyFile: keyFile)
            }
            #expect(error?.description.contains("\(address) without TLS") == true)
            #expect(error?.description.contains("roots") == true)
            try PosternClient(addresses: [address], keyFile: keyFile, plaintext: .trustedNetwork)
                .close()
        }
        for address in ["127.0.0.1:7400", "localhost:7400", "[::1]:7400"] {
            try PosternClient(addresses: [address], keyFile: keyFile).close()
        }
    }

    @Test("roots that cannot be read never mean plaintext")
    func unreadableRoots() {
        for plaintext in [PosternClient.Plaintext.loopback, .trustedNetwork] {
            #expect(throws: InvalidSettings.self) {
                try PosternClient(
                    keyFile: keyFile, roots: folder.file("none.pem"), plaintext: plaintext)
            }
        }
    }

    @Test("an empty access token is sent, so that the gateway refuses it")
    func emptyToken() throws {
        let client = try PosternClient(keyFile: keyFile)
        defer { client.close() }
        func authorization(_ token: String?) -> String? {
            client.caller.context(
                VerificationDescription.getKeySet, CallOptions(accessToken: token)
            )
            .metadata[Metadata.Key.authorization]
        }
        #expect(authorization("abc") == "Bearer abc")
        #expect(authorization("") == "Bearer ")
        #expect(authorization(nil) == nil)
    }

    @Test("the text of call options does not contain the access token")
    func text() {
        let options = CallOptions(accessToken: "secret-token", acceptLanguage: "de")
        var dumped = ""
        dump([options], to: &dumped)
        for text in ["\(options)", String(reflecting: options), "\([options])", dumped] {
            #expect(!text.contains("secret-token"))
            #expect(text.contains("de"))
        }
    }
}
