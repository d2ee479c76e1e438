import ArgumentParser
import Contracts
import Cryptography
import JSON
import Messages
import RPC

extension AuditCommand {
    /// `postern audit keys`.
    struct Keys: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the public keys of the heads and cuts of audit trails.",
            discussion: """
                For those who keep heads elsewhere: with -o json each row is the JSON Web Key of a \
                service, with which any JOSE library verifies them. `iss` of a head is the service.

                  postern audit keys -o json > keys.json
                """)

        @OptionGroup var endpoints: EndpointsOption
        @OptionGroup var output: OutputOption

        func run() async throws {
            var rows: [Row] = []
            for service in List.services {
                rows.append(Self.row(of: service, try await endpoints.trailKey(of: service)))
            }
            try output.show(rows)
        }

        /// A key as a JSON Web Key (RFC 8037, 2).
        static func row(of service: String, _ key: EventsV1.ShowTrailKeyResponse) -> Row {
            Row([
                .init("service", service), .init("kid", key.keyId),
                .init(json: "kty", .string("OKP")), .init(json: "crv", .string("Ed25519")),
                .init("x", Base64URL.encode(key.publicKey)),
            ])
        }
    }
}

extension EndpointsOption {
    /// The key with which a service signs heads and cuts of its audit trail.
    func trailKey(of service: String) async throws -> EventsV1.ShowTrailKeyResponse {
        try await call(service) {
            try await EventsClient($0.client).showTrailKey(.init(), $0.context)
        }
    }
}
