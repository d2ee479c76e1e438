import Contracts
import HTTPTypes
import Messages
import NIOCore
import RPC
import ServiceRuntime

/// The archive with an account's data by HTTP (G-21), since browsers cannot read streams of calls:
///
///     GET, HEAD  /v1/exports/{id}  `DataExports/FetchDataExport` in the caller's session
///
/// `Range` resumes an interrupted download. The archive is one stream of the gateway,
/// whose flow control reaches the client: it is never in memory as a whole.
struct ExportResponder: Sendable {
    /// What the paths of archives begin with.
    static let path = "/v1/exports/"
    /// The name under which browsers save an archive.
    static let disposition = "attachment; filename=\"your-data.zip\""

    let exports: any DataExportsAPI
    let calls: StreamCalls

    /// Answers a request whose path begins with `path`.
    /// - Throws: `HTTPFailure` 405; after the head of the response, what ends the stream.
    func respond(to exchange: HTTPExchange, _ path: Substring) async throws {
        let request = exchange.head
        try exchange.requireReading()
        let begun = await calls.result(for: exchange) {
            let id = String(path.dropFirst(Self.path.count))
            let bytes = try await length(of: id, exchange)
            let (head, range) = try self.head(id, bytes: bytes, request)
            var download: ExportDownload?
            if request.method == .get {
                download = try await ExportDownload(
                    of: GatewayV1.FetchDataExportRequest(exportId: id, offset: range.first),
                    bytes: range.count, from: exports,
                    calls.context(DataExportsDescription.fetchDataExport, exchange))
            }
            return (head, download)
        }
        guard case (let head, var download)? = begun else { return }
        exchange.begin(head)
        try await download?.send(on: exchange)
        exchange.end()
    }

    /// The length of an archive that can be fetched.
    private func length(of id: String, _ exchange: HTTPExchange) async throws -> Int64 {
        let answer = try await exports.getDataExport(
            GatewayV1.GetDataExportRequest(),
            calls.context(DataExportsDescription.getDataExport, exchange))
        guard let export = answer.dataExport, export.exportId == id, export.state == .ready,
            export.bytes > 0
        else { throw ServiceError(.notFound, fields: ["export_id"]) }
        return export.bytes
    }

    /// The head of a response with the archive or a part of it.
    private func head(
        _ id: String, bytes: Int64, _ request: HTTPRequest
    ) throws(CallFailure) -> (HTTPResponse, ByteRange) {
        let tag = EntityTag(ofUnique: id)
        let whole = ByteRange(first: 0, count: bytes)
        let asked =
            request.method == .get
            ? ByteRange.Request(request.headerFields, tag: tag, length: bytes) : .whole
        var response = HTTPResponse(
            status: .ok, headerFields: calls.callers.responseFields(of: request))
        response.headerFields.append(contentsOf: Self.fields)
        response.headerFields[.eTag] = tag.text
        let range: ByteRange
        switch asked {
        case .whole: range = whole
        case .part(let part):
            range = part
            response.status = .partialContent
            response.headerFields[.contentRange] = part.field(ofLength: bytes)
        case .unsatisfiable:
            throw CallFailure(
                .invalidArgument, "The range begins behind the archive's end.",
                violations: [HTTPField.Name.range.canonicalName], status: .rangeNotSatisfiable,
                fields: [.contentRange: "bytes */\(bytes)"])
        }
        response.headerFields[.contentLength] = "\(range.count)"
        return (response, range)
    }

    /// Fields of every archive: it is saved and not shown, and no cache keeps it.
    static let fields: HTTPFields = [
        .acceptRanges: "bytes", .cacheControl: "no-store", .contentDisposition: disposition,
        .contentType: "application/zip", .vary: "Origin, Authorization",
    ]
}

/// The bytes of an archive as they arrive, of which the first have arrived: until then the gateway
/// can refuse them.
struct ExportDownload {
    private var items: IncomingItems<GatewayV1.FetchDataExportItem>.AsyncIterator
    private var first: [UInt8]?
    /// Bytes that are still to come.
    private var rest: Int64
    /// When the call ends, on the uptime clock.
    private let deadline: Duration

    /// - Parameter bytes: how many to take; the stream may have more.
    /// - Throws: the gateway's `ServiceError`.
    init(
        of request: GatewayV1.FetchDataExportRequest, bytes: Int64,
        from exports: any DataExportsAPI, _ context: CallContext
    ) async throws {
        items = exports.fetchDataExport(request, context).makeAsyncIterator()
        rest = bytes
        deadline = context.deadline
        first = try await items.next()?.data
    }

    /// Sends the bytes after the head of a response, until the deadline of the call.
    /// - Throws: as `next`; `CancellationError` when the client is gone.
    mutating func send(on exchange: HTTPExchange) async throws {
        exchange.limitResponseTime(until: deadline)
        while let bytes = try await next() {
            try await exchange.write(ByteBuffer(bytes: bytes))
        }
    }

    /// The next bytes; nil after the last.
    /// - Throws: the gateway's `ServiceError`; `rpc/internal` if the stream ends too early.
    private mutating func next() async throws -> [UInt8]? {
        guard rest > 0 else { return nil }
        let next = if let first { first } else { try await items.next()?.data }
        first = nil
        guard let next else {
            throw ServiceError(.internalError, detail: "an archive ended too early")
        }
        let bytes = Array(next.prefix(Int(clamping: rest)))
        rest -= Int64(bytes.count)
        return bytes
    }
}
