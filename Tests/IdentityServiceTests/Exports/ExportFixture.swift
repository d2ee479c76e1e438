import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import PersonalData

extension IdentityFixture {
    var exports: AccountExportsHandler { service.data.exports }

    /// Gives each other service a file of every account.
    func fillOtherServices() {
        sessionData.have("sessions.json", [Array("[\n".utf8), Array("]\n".utf8)])
        notificationData.have("messages.json", [Array("[]".utf8)])
        rateLimitData.have("limits.json", [Array("[]".utf8)])
    }

    @discardableResult
    func orderExport(
        _ token: String, language: String? = nil
    ) async throws -> GatewayV1.DataExport {
        var context = relayed(token)
        context.metadata[Metadata.Key.acceptLanguage] = language
        let answer = try await exports.requestDataExport(.init(), context)
        return try #require(answer.dataExport)
    }

    /// Orders an export and prepares it.
    func prepareExport(_ token: String) async throws -> GatewayV1.DataExport {
        fillOtherServices()
        try await orderExport(token)
        #expect(try await exports.work.prepareDue())
        return try await export(token)
    }

    func export(_ token: String) async throws -> GatewayV1.DataExport {
        let answer = try await exports.getDataExport(.init(), relayed(token))
        return try #require(answer.dataExport)
    }

    func fetch(
        _ token: String, _ id: String, from offset: Int64 = 0, link: String = ""
    ) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        let (exports, context) = (exports, relayed(token))
        let request = GatewayV1.FetchDataExportRequest(
            exportId: id, offset: offset, linkToken: link)
        let items = IncomingItems<GatewayV1.FetchDataExportItem>.inProcess {
            try await exports.fetchDataExport(request, $0, context)
        }
        for try await item in items {
            #expect(item.data.count <= SealedParts.partBytes)
            bytes += item.data
        }
        return bytes
    }

    /// Follows the export.
    func watchExport(_ token: String) -> IncomingItems<GatewayV1.WatchDataExportItem> {
        let (exports, context) = (exports, relayed(token))
        return .inProcess { try await exports.watchDataExport(.init(), $0, context) }
    }

    /// The token of the mailed link.
    func exportLink() async throws -> String {
        try await relay()
        let mail = try #require(notifications.mails.last { $0.template == "export-ready" })
        let link = try #require(mail.variables.first { $0.name == "link" }).value
        let start = "https://app.example/your-data?token="
        try #require(link.hasPrefix(start))
        return String(link.dropFirst(start.count))
    }

    func cancelExport(_ token: String) async throws -> Bool {
        try await exports.cancelDataExport(.init(), relayed(token)).cancelled
    }
}
