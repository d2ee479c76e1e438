import Foundation
import RPC

/// A client that knows the web service's URL and an app's key, and has `curl` alone.
struct WebClient {
    /// Where the web service answers, without a slash at the end.
    let url: String
    /// The app's key.
    let appKey: String

    /// A client of the cluster's web service, as `endpoints.json` describes it.
    init(_ cluster: Cluster) throws {
        struct File: Decodable {
            let web: Web
        }
        struct Web: Decodable {
            let url: String
            let appKey: String

            enum CodingKeys: String, CodingKey {
                case url
                case appKey = "app_key"
            }
        }
        let file = URL(filePath: "\(cluster.data)/endpoints.json")
        let web = try JSONDecoder().decode(File.self, from: Data(contentsOf: file)).web
        (url, appKey) = (web.url, web.appKey)
    }

    /// A response.
    struct Response {
        /// The HTTP status; 0 if there was no response.
        let status: Int
        let body: String
        /// The origin that was called, where a browser needs it.
        var origin = ""

        /// Decodes the body.
        func read<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
            do {
                return try JSONDecoder().decode(type, from: Data(body.utf8))
            } catch {
                throw ClusterError(message: "no \(type): \(status) \(body)")
            }
        }
    }

    /// Calls a method of `postern.gateway.v1.Auth` by JSON over HTTP/1.1.
    /// - Parameters:
    ///   - fields: Further fields of the request, such as `authorization: Bearer …`.
    ///   - key: The key in `x-postern-app`; nil to send none.
    func auth(
        _ method: String, _ request: [String: Any], fields: [String] = [], key: String?
    ) async throws -> Response {
        let json = try JSONSerialization.data(withJSONObject: request, options: [.sortedKeys])
        let fields =
            ["content-type: application/json"] + (key.map { ["x-postern-app: \($0)"] } ?? [])
            + fields
        return try await curl(
            "/postern.gateway.v1.Auth/\(method)",
            fields.flatMap { ["--header", $0] }
                + ["--data", String(decoding: json, as: UTF8.self)])
    }

    /// The browser that calls: its name, and how the gateway says it.
    static let browser = (
        userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0",
        agent: "firefox 131, linux"
    )

    /// The options of `curl` for a call in a context: the app's key, the browser's name, the fields
    /// that its metadata have by HTTP, and the client address, which is one of this machine's own
    /// (RFC 1122, 3.2.1.3) instead of the one for benchmarks.
    func options(_ context: CallContext) -> [String] {
        let names = [
            Metadata.Key.authorization, Metadata.Key.idempotencyKey, Metadata.Key.acceptLanguage,
        ]
        let fields = names.compactMap { name in context.metadata[name].map { "\(name): \($0)" } }
        let address = context.metadata[Metadata.Key.clientAddress] ?? "127.0.0.1"
        return ["--interface", address.replacing("198.18.", with: "127.18.")]
            + (["x-postern-app: \(appKey)", "user-agent: \(Self.browser.userAgent)"] + fields)
            .flatMap { ["--header", $0] }
    }

    /// Runs `curl` with a path of the web service.
    func curl(_ path: String, _ options: [String] = []) async throws -> Response {
        let run = try await ProgramRun.run(
            path: "/usr/bin/env",
            [
                "curl", "--silent", "--show-error", "--max-time", "20", "--write-out",
                "\n%{http_code}",
            ]
                + options + [url + path], limit: .seconds(30))
        let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
        guard run.exitCode == 0, let status = lines.last.flatMap({ Int($0) }) else {
            throw ClusterError(message: "curl \(path): \(run.output) \(run.errors)")
        }
        return Response(status: status, body: lines.dropLast().joined(separator: "\n"))
    }
}
