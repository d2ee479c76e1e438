import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Synchronization
import TestSupport

/// Sign-in by a code, and the archive of the account. The code `000000` is wrong, and so is each code
/// to a number without an account, which ends with `99`.
extension PagesGateway {
    /// What the gateway has as an archive.
    static let archive = Array("an archive, which is no ZIP here".utf8)

    static var readyArchive: GatewayV1.DataExport {
        GatewayV1.DataExport(
            exportId: "exp_1", state: .ready, expiresAtMs: due.milliseconds,
            bytes: Int64(archive.count))
    }

    /// Who calls: the session, or the link.
    private static func caller(_ link: String, _ context: CallContext) -> String {
        let bearer = bearer(context)
        return bearer.isEmpty ? link : bearer
    }

    var phones: ServiceMethods {
        ServiceMethods(
            PhoneSignInDescription.service,
            [
                .async(PhoneSignInDescription.requestSignInCode) {
                    (request: GatewayV1.RequestSignInCodeRequest, context)
                        -> GatewayV1.RequestSignInCodeResponse in
                    try self.receive(
                        "RequestSignInCode", request.phoneNumber, SecretBytes(""), context,
                        on: request.device)
                    guard request.phoneNumber.hasPrefix("+") else {
                        throw ServiceError(.invalidPhoneNumber)
                    }
                    return GatewayV1.RequestSignInCodeResponse(requestId: "pcr_1")
                },
                .async(PhoneSignInDescription.signInWithPhoneCode) {
                    (request: GatewayV1.SignInWithPhoneCodeRequest, context)
                        -> GatewayV1.SignInWithPhoneCodeResponse in
                    try self.receive(
                        "SignInWithPhoneCode", "\(request.requestId) \(request.phoneNumber)",
                        SecretBytes(request.code), context, on: request.device)
                    guard request.existingOnly else { throw ServiceError(.internalError) }
                    guard request.code != "000000", !request.phoneNumber.hasSuffix("99") else {
                        throw ServiceError(.invalidCode)
                    }
                    return GatewayV1.SignInWithPhoneCodeResponse(
                        account: GatewayV1.Account(), session: Self.session)
                },
            ])
    }

    /// An archive of `archive`, in items of five bytes.
    var exports: ServiceMethods {
        ServiceMethods(
            DataExportsDescription.service,
            [
                .async(DataExportsDescription.requestDataExport) {
                    (_: GatewayV1.RequestDataExportRequest, context)
                        -> GatewayV1.RequestDataExportResponse in
                    try self.require("RequestDataExport", "", context)
                    let ordered = GatewayV1.DataExport(exportId: "exp_1", state: .preparing)
                    self.account.withLock { $0.archive = ordered }
                    return GatewayV1.RequestDataExportResponse(dataExport: ordered)
                },
                .async(DataExportsDescription.getDataExport) {
                    (request: GatewayV1.GetDataExportRequest, context)
                        -> GatewayV1.GetDataExportResponse in
                    let link = Self.text(request.linkToken)
                    // A page looks at the archive of a link as often as it is opened.
                    try self.receive(
                        "GetDataExport", link == "late" ? "" : Self.caller(link, context),
                        SecretBytes(""), context)
                    guard let archive = self.account.withLock({ $0.archive }) else {
                        throw ServiceError(.notFound)
                    }
                    return GatewayV1.GetDataExportResponse(dataExport: archive)
                },
                .serverStream(DataExportsDescription.fetchDataExport) {
                    (
                        request: GatewayV1.FetchDataExportRequest,
                        items: OutgoingItems<GatewayV1.FetchDataExportItem>, context
                    ) in
                    try self.receive(
                        "FetchDataExport", request.linkToken, SecretBytes(request.exportId),
                        context)
                    if request.linkToken.isEmpty { try self.require("Proof", "", context) }
                    for start in stride(from: 0, to: Self.archive.count, by: 5) {
                        let part = Self.archive.dropFirst(start).prefix(5)
                        try await items.write(.init(data: Array(part)))
                    }
                },
            ])
    }
}
