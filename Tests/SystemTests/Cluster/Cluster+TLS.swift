import Foundation
import ServiceRuntime
import TestSupport

extension Cluster {
    /// Runs `test` with a cluster whose five programs speak TLS alone, to each other and to the tool.
    static func withTLS(_ test: (Cluster) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let authority = try TestAuthority(now: SystemTime().now())
        let issued = try authority.issue([.dns("localhost"), .address(127, 0, 0, 1)])
        let own = try issued.write(to: folder, as: "programs")
        let roots = try folder.write(authority.pem, to: "roots.pem")
        let environment = [
            "POSTERN_TLS_CERTIFICATE_FILE": own.chain, "POSTERN_TLS_KEY_FILE": own.key,
            "POSTERN_TLS_PEER_CA_FILE": roots,
        ]
        try await with(folder, environment: environment) { cluster in
            try cluster.nameRoots(roots)
            try await test(cluster)
        }
    }

    /// Has the tool speak TLS: `postern up` knows nothing of its programs' settings.
    private func nameRoots(_ roots: String) throws {
        let file = URL(filePath: "\(data)/endpoints.json")
        let json = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
        guard var endpoints = json as? [String: Any] else {
            throw ClusterError(said: "\(file.path) is no object")
        }
        endpoints["tls"] = ["roots": roots]
        try JSONSerialization.data(withJSONObject: endpoints).write(to: file)
    }
}
