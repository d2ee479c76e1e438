import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService
@testable import IdentityAssembly
@testable import PersonalData

@Suite("G-21: exports of all data at the gateway", .timeLimit(.minutes(1)))
struct DataExportsTests {
    private static let limit = "export-by-account"

    @Test("an order is charged, three a day; one that exists is returned without a charge")
    func charges() async throws {
        let fixture = try await GatewayFixture()
        let ada = try await fixture.signUp()
        let account = ada.account.accountId
        func order() async throws -> GatewayV1.DataExport? {
            // The proof of the sign-in is a minute old at most.
            try await fixture.dataExports.requestDataExport(
                .init(), fixture.context().bearing(ada.session.accessToken)
            ).dataExport
        }
        func cancel() async throws -> Bool {
            try await fixture.dataExports.cancelDataExport(
                .init(), fixture.context().bearing(ada.session.accessToken)
            ).cancelled
        }
        let first = try await order()
        #expect(first?.state == .preparing)
        for _ in 0..<4 { #expect(try await order() == first) }
        #expect(try fixture.inner.left(Self.limit, account) == 2)
        for _ in 0..<2 {
            #expect(try await cancel())
            #expect(try await order()?.exportId != first?.exportId)
        }
        #expect(try await cancel())
        let refused = try await #require(throws: ServiceError.self) { try await order() }
        #expect(refused.code == .tooManyRequests)
        #expect(try await !cancel())
    }

    @Test("a refused order is not charged, and other calls never are")
    func refusals() async throws {
        let fixture = try await GatewayFixture()
        let ada = try await fixture.signUp()
        fixture.time.advance(by: .seconds(300))
        let context = fixture.context().bearing(ada.session.accessToken)
        let old = try await #require(throws: ServiceError.self) {
            try await fixture.dataExports.requestDataExport(.init(), context)
        }
        #expect(old.code == .requiresRecentLogin)
        #expect(old.acceptableProofs == ["password"])
        let none = try await #require(throws: ServiceError.self) {
            try await fixture.dataExports.getDataExport(.init(), context)
        }
        #expect(none.code == .notFound)
        #expect(try await !fixture.dataExports.cancelDataExport(.init(), context).cancelled)
        #expect(try fixture.inner.left(Self.limit, ada.account.accountId) == 3)
    }

    @Test("an archive of all services comes through, from any offset")
    func fetch() async throws {
        let fixture = try await GatewayFixture()
        let ada = try await fixture.signUp()
        let context = fixture.context(language: "fr").bearing(ada.session.accessToken)
        _ = try await fixture.dataExports.requestDataExport(.init(), context)
        #expect(try await fixture.inner.identity.data.exports.work.prepareDue())
        let export = try #require(
            try await fixture.dataExports.getDataExport(.init(), context).dataExport)
        #expect(export.state == .ready)
        let states = fixture.dataExports.watchDataExport(.init(), context).makeAsyncIterator()
        #expect(try await states.next()?.dataExport == export)
        #expect(try await states.next() == nil)
        func bytes(from offset: Int64) async throws -> [UInt8] {
            var bytes: [UInt8] = []
            let items = fixture.dataExports.fetchDataExport(
                .init(exportId: export.exportId, offset: offset), context)
            for try await item in items { bytes += item.data }
            return bytes
        }
        let whole = try await bytes(from: 0)
        #expect(Int64(whole.count) == export.bytes)
        #expect(whole.starts(with: Array("PK".utf8)))
        #expect(try await bytes(from: 10) == Array(whole.dropFirst(10)))
        let names = ["sessions.json", "messages.json", "limits.json", "index.html"]
        let text = String(decoding: whole, as: UTF8.self)
        for name in names { #expect(text.contains(name), "\(name)") }
    }

    @Test("G-32: a link that the app makes is charged as a write, and gives the archive once")
    func appLink() async throws {
        let fixture = try await GatewayFixture()
        let ada = try await fixture.signUp()
        let session = fixture.context().bearing(ada.session.accessToken)
        let service = fixture.dataExports
        _ = try await service.requestDataExport(.init(), session)
        #expect(try await fixture.inner.identity.data.exports.work.prepareDue())
        let writes = "document-write-by-account"
        let before = try fixture.inner.left(writes, ada.account.accountId)
        let answer = try await service.createExportLink(.init(), session)
        #expect(try fixture.inner.left(writes, ada.account.accountId) == before - 1)
        let link = String(answer.url.split(separator: "=").last ?? "")
        func shown() async throws -> GatewayV1.DataExport? {
            try await service.getDataExport(
                .init(linkToken: .init(text: link)), fixture.context()
            ).dataExport
        }
        let export = try #require(try await shown())
        #expect(export.state == .ready)
        func bytes() async throws -> Int64 {
            var count: Int64 = 0
            let request = GatewayV1.FetchDataExportRequest(
                exportId: export.exportId, linkToken: link)
            for try await item in service.fetchDataExport(request, fixture.context()) {
                count += Int64(item.data.count)
            }
            return count
        }
        #expect(try await bytes() == export.bytes)
        let again = try await #require(throws: ServiceError.self) { try await bytes() }
        #expect(again.code == .invalidLink)
        let gone = try await #require(throws: ServiceError.self) { try await shown() }
        #expect(gone.code == .invalidLink)
        let outside = try await #require(throws: ServiceError.self) {
            try await service.getDataExport(.init(), fixture.context())
        }
        #expect(outside.code == .invalidAccessToken)
    }
}
