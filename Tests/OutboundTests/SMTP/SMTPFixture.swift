import Cryptography
import Glibc
import NIOSSL
import Outbound
import SMTPSink
import ServiceRuntime
import TestSupport
import Testing

/// A sink with its own certificate, and server settings to reach it.
struct SMTPFixture {
    let sink: SMTPSink
    let folder: TemporaryFolder
    private let trustFile: String

    /// A sink with a certificate for `name`, and otherwise with `script`.
    init(_ script: SMTPSink.Script, name: TestName = .address(127, 0, 0, 1)) throws {
        folder = try TemporaryFolder()
        let authority = try TestAuthority(now: SystemTime().now())
        trustFile = try folder.write(authority.pem, to: "roots.pem")
        let files = try authority.issue([name]).write(to: folder, as: "sink")
        let chain = try NIOSSLCertificate.fromPEMFile(files.chain)
        let configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: files.key, format: .pem)))
        var script = script
        script.tls = try NIOSSLContext(configuration: configuration)
        sink = try SMTPSink(script)
    }

    /// Writes a file that only its owner can read.
    func secretFile(_ text: String, _ name: String) throws -> String {
        let path = try folder.write(text, to: name)
        _ = chmod(path, 0o600)
        return path
    }

    func server(
        _ encryption: SMTPServer.Encryption, credentials: SMTPServer.Credentials? = nil,
        trustsSink: Bool = true
    ) throws -> SMTPServer {
        try #require(
            SMTPServer(
                host: "127.0.0.1", port: sink.port, encryption: encryption,
                credentials: credentials, clientName: "us.example", addresses: .any,
                trustFile: trustsSink ? trustFile : nil))
    }

    /// Sends one mail with a client of its own.
    func send(
        to recipient: String = "ada@example.org", _ server: SMTPServer
    ) async throws -> SMTPOutcome {
        let client = try SMTPClient(connections: 1)
        let mail = try SMTPMail(
            sender: "us@example.org", recipient: recipient, message: Array("a: b\r\n\r\nx\r\n".utf8)
        )
        let outcome = await client.send(mail, to: server, timeout: .seconds(5))
        await client.close()
        return outcome
    }
}
