import Contracts
import Cryptography
import IdentityService
import Messages
import RPC
import ServiceRuntime
import Storage

/// Exports of all data of an account (G-21): `postern.identity.v1.AccountExports`, the order of one
/// for the gateway, which charges it, and of `postern.gateway.v1.DataExports` the rest.
/// `ExportWork` prepares the archives.
struct AccountExportsHandler:
    AccountExportsService, IdentityDataExportsService, AccountCallsHandler, AccountWriting
{
    let store: Store
    let writer: AccountWriter
    let time: any Time
    let calls: AccountCalls
    let owners: SessionOwners
    let blobs: any BlobStore
    /// The streams that wait for changes of exports.
    let watchers: AccountWatchers
    let work: ExportWork
    let newcomers: NewcomerBytes

    /// The export of an account that calls; nil if there is none.
    /// - Throws: as `SQLSession.callersRow`.
    func export(of caller: AccountID) async throws -> StoredExport? {
        let now = time.now()
        return try await store.read { session in
            try session.export(of: try session.callersRow(caller).account, at: now)
        }
    }
}

/// Who asks for an export: a session, or a link that an app made in one (G-32).
struct ExportCaller: Sendable {
    let frame: AccountCall
    /// Nil in a session.
    let link: SessionLink?
}

extension AccountExportsHandler {
    /// Judges who calls, where a session is optional: without one a link of a session stands for it.
    /// - Throws: `auth/invalid-link`; `auth/invalid-access-token` without both; as
    ///   `AccountCalls.optionalOwner`.
    func caller(
        _ method: MethodDescription, _ request: any ProtobufMessage, link token: SecretBytes,
        _ context: CallContext
    ) async throws -> ExportCaller {
        if let owner = try await calls.optionalOwner(in: context) {
            return ExportCaller(
                frame: try calls.call(method, request, context, about: owner.account), link: nil)
        }
        guard !token.isEmpty else { throw ServiceError(.invalidAccessToken) }
        let link = try await owners.link(
            LinkToken(token), .sessionExport, at: time.now(), in: context)
        return ExportCaller(
            frame: try calls.call(method, request, context, about: link.account), link: link)
    }

    /// Makes a link to the page that sends the archive (G-32). It needs the proof of the download for
    /// which it stands, and an export: the page's person has no session in which to order one.
    func createExportLink(
        _ request: GatewayV1.CreateExportLinkRequest, _ call: AccountCall
    ) async throws -> GatewayV1.CreateExportLinkResponse {
        let owner = try await owners.require(.standard, in: call.context)
        let link = try await owners.issueLink(
            .sessionExport, to: owner, call.repeatable, from: call.origin
        ) { transaction in
            guard try transaction.hasExport(of: owner.account, at: transaction.at) else {
                throw ServiceError(.notFound)
            }
        }
        return GatewayV1.CreateExportLinkResponse(
            url: link.url, expiresAtMs: link.expiresAt.milliseconds)
    }

    /// The export of the caller's account (G-21). A link shows it as often as the page is opened.
    func getDataExport(
        _ request: GatewayV1.GetDataExportRequest, _ context: CallContext
    ) async throws -> GatewayV1.GetDataExportResponse {
        let caller = try await caller(
            DataExportsDescription.getDataExport, request, link: request.linkToken, context)
        guard let export = try await export(of: caller.frame.account) else {
            throw ServiceError(.notFound)
        }
        return GatewayV1.GetDataExportResponse(dataExport: export.message)
    }

    /// Streams the export of the caller's account, now and at each change, until it is ready or
    /// there is none any more (G-21).
    func watchDataExport(
        _ request: GatewayV1.WatchDataExportRequest,
        _ items: OutgoingItems<GatewayV1.WatchDataExportItem>, _ call: AccountCall
    ) async throws {
        guard try await export(of: call.account) != nil else { throw ServiceError(.notFound) }
        var last: GatewayV1.DataExport?
        try await watchers.following(call.account, time) {
            // Read again: it may have changed before this stream could be woken.
            let token = try await calls.owner(in: call.context)
            guard let export = try await export(of: token.account) else { return nil }
            if export.message != last { try await items.write(.init(dataExport: export.message)) }
            last = export.message
            return export.state.isPreparing ? token.expiresAt : nil
        }
    }
}
