import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import Hosting

@Suite("Settings of certificates and callers")
struct CredentialSettingsTests {
    private func load(_ arguments: String...)
        -> SettingsLoader.Outcome<ProgramSettings<SampleProgram>>
    {
        SettingsLoader(
            program: "postern-sample", summary: "a sample.", arguments: arguments, environment: [:]
        ).load(ProgramSettings<SampleProgram>.self)
    }

    @Test("without a certificate there is no TLS")
    func none() throws {
        let settings: ProgramSettings<SampleProgram> = try SettingsLoader.settings()
        let credentials = settings.host.credentials
        #expect(credentials.serverFiles == nil)
        #expect(credentials.clientFiles == nil)
        #expect(credentials.callersFile == nil)
        #expect(settings.own.identity.certificateName == nil)
    }

    @Test("one certificate is used for listening and for calling")
    func both() throws {
        let settings: ProgramSettings<SampleProgram> = try SettingsLoader.settings([
            "--tls-certificate-file=a.pem", "--tls-key-file=a.key", "--tls-client-ca-file=c.pem",
            "--tls-peer-ca-file=p.pem", "--tls-minimum-version=1.3",
            "--identity-certificate-name=identity",
        ])
        let own = CertificateFiles(chain: "a.pem", key: "a.key")
        let credentials = settings.host.credentials
        #expect(
            credentials.serverFiles
                == ServerTLSFiles(certificate: own, roots: "c.pem", floor: .v13))
        #expect(
            credentials.clientFiles
                == ClientTLSFiles(certificate: own, roots: "p.pem", floor: .v13))
        #expect(settings.own.identity.certificateName == "identity")
    }

    @Test(
        "incomplete or out-of-range certificate settings are errors",
        arguments: [
            "--tls-certificate-file=a", "--tls-key-file=a", "--tls-client-ca-file=a",
            "--tls-minimum-version=1.1", "--credentials-interval=1m",
        ])
    func problems(argument: String) {
        guard case .exit(_, exitCode: 78) = load(argument) else {
            Issue.record("it was taken")
            return
        }
    }
}
