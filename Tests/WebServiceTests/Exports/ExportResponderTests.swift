import Contracts
import Cryptography
import HTTPTypes
import Messages
import NIOCore
import NIOPosix
import RPC
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import WebService

@Suite("Archives of accounts' data by HTTP", .timeLimit(.minutes(1)))
struct ExportResponderTests {
    private func run(
        _ body:
            @Sendable (
                _ send:
                    @Sendable (_ request: String, _ fields: [String: String]) async throws ->
                    HTTP1Response
            ) async throws -> Void
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let exports = ExportResponder(
            exports: FakeExports(),
            calls: StreamCalls(
                methods: try TestMethods.all, callers: AppsFixture.check, formalLanguages: .none,
                time: SystemTime(), logger: CapturedLog().logger()))
        let listener = try await WebListener.start(
            WebListenerSettings(host: "127.0.0.1", port: 0), group: group, time: SystemTime(),
            randomness: SecureRandomness(), logger: CapturedLog().logger()
        ) { exchange in
            try await exports.respond(to: exchange, (exchange.head.path ?? "")[...])
        }
        let client = HTTP1Client(group: group, port: listener.port)
        try await body { request, fields in
            var all = [
                "x-postern-app": AppsFixture.otherKey, "authorization": "Bearer token",
            ]
            all.merge(fields) { $1 }
            return try await client.send("\(request) HTTP/1.1", [], all)
        }
        await listener.drain()
        try await group.shutdownGracefully()
    }

    @Test("G-21: an archive is sent as a file to save, and by parts")
    func download() async throws {
        try await run { send in
            let whole = try await send("GET /v1/exports/exp_1", [:])
            #expect(whole.status == 200)
            #expect(whole.body == FakeExports.archive)
            #expect(whole.fields["accept-ranges"] == "bytes")
            #expect(whole.fields["content-type"] == "application/zip")
            #expect(whole.fields["content-disposition"] == ExportResponder.disposition)
            #expect(whole.fields["cache-control"] == "no-store")
            let tag = try #require(whole.fields["etag"])

            let head = try await send("HEAD /v1/exports/exp_1", ["range": "bytes=1-2"])
            #expect(head.status == 200 && head.body.isEmpty)
            #expect(head.fields["content-length"] == "\(FakeExports.archive.count)")

            let rest = try await send(
                "GET /v1/exports/exp_1", ["range": "bytes=7-", "if-range": tag])
            #expect(rest.status == 206)
            #expect(rest.body == Array(FakeExports.archive.dropFirst(7)))
            #expect(rest.fields["content-range"] == "bytes 7-25/26")
            let middle = try await send("GET /v1/exports/exp_1", ["range": "bytes=3-12"])
            #expect(middle.body == Array(FakeExports.archive[3...12]))
            #expect(middle.fields["content-length"] == "10")

            let behind = try await send("GET /v1/exports/exp_1", ["range": "bytes=26-"])
            #expect(behind.status == 416)
            #expect(behind.fields["content-range"] == "bytes */26")
        }
    }

    @Test("G-21: another id, a missing session and an old proof are refused before the first byte")
    func refusals() async throws {
        try await run { send in
            for path in ["exp_2", "", "exp_1/x", "..%2f"] {
                #expect(try await send("GET /v1/exports/\(path)", [:]).status == 404, "\(path)")
            }
            let strange = try await send(
                "GET /v1/exports/exp_1", ["authorization": "Bearer other"])
            #expect(strange.status == 401)
            let old = try await send("GET /v1/exports/exp_1", ["authorization": "Bearer old"])
            #expect(old.text.contains("auth/requires-recent-login"))
            #expect(old.fields["content-disposition"] == nil)
            #expect(try await send("POST /v1/exports/exp_1", [:]).status == 405)
        }
    }
}

/// The gateway's exports: one archive of 26 bytes, in items of four. The token `old` has no recent
/// proof.
private struct FakeExports: DataExportsAPI {
    static let archive = Array("abcdefghijklmnopqrstuvwxyz".utf8)

    private func require(_ context: CallContext) throws {
        guard
            ["Bearer token", "Bearer old"].contains(
                context.metadata[Metadata.Key.authorization])
        else { throw ServiceError(.invalidAccessToken) }
    }

    func getDataExport(
        _ request: GatewayV1.GetDataExportRequest, _ context: CallContext
    ) async throws -> GatewayV1.GetDataExportResponse {
        try require(context)
        return .init(
            dataExport: .init(
                exportId: "exp_1", state: .ready, bytes: Int64(Self.archive.count)))
    }

    func fetchDataExport(
        _ request: GatewayV1.FetchDataExportRequest, _ context: CallContext
    ) -> IncomingItems<GatewayV1.FetchDataExportItem> {
        .inProcess { items in
            try require(context)
            guard context.metadata[Metadata.Key.authorization] != "Bearer old" else {
                throw ServiceError(.requiresRecentLogin)
            }
            let rest = Self.archive.dropFirst(Int(request.offset))
            for start in stride(from: rest.startIndex, to: rest.endIndex, by: 4) {
                let end = min(start + 4, rest.endIndex)
                try await items.write(.init(data: Array(rest[start..<end])))
            }
        }
    }

    func requestDataExport(
        _ request: GatewayV1.RequestDataExportRequest, _ context: CallContext
    ) async throws -> GatewayV1.RequestDataExportResponse { throw ServiceError(.unknownMethod) }

    func createExportLink(
        _ request: GatewayV1.CreateExportLinkRequest, _ context: CallContext
    ) async throws -> GatewayV1.CreateExportLinkResponse { throw ServiceError(.unknownMethod) }

    func watchDataExport(
        _ request: GatewayV1.WatchDataExportRequest, _ context: CallContext
    ) -> IncomingItems<GatewayV1.WatchDataExportItem> {
        .inProcess { _ in throw ServiceError(.unknownMethod) }
    }

    func cancelDataExport(
        _ request: GatewayV1.CancelDataExportRequest, _ context: CallContext
    ) async throws -> GatewayV1.CancelDataExportResponse { throw ServiceError(.unknownMethod) }
}
