import Contracts
import Messages
import RPC
import ServiceRuntime

/// `postern.gateway.v1.Documents`: what an app keeps about the caller, as JSON objects (I-07). Each
/// rpc is in the file of its name: `readDocument`, `writeDocument`, `writeDocuments`,
/// `removeDocument`, `listDocuments`, `watchDocuments`.
///
/// Identity keeps the documents, checks them and judges the access token that it is handed.
struct DocumentsHandler: DocumentsService {
    let documents: any AccountDocumentsAPI
    /// The same service, on the channel of followers, who take no slot of other calls there
    /// (`GatewayPeers`): for `watchDocuments`.
    let watches: any AccountDocumentsAPI
    let sessions: any SessionsAPI
    let limits: RateLimiter
}

extension DocumentsHandler {
    /// Identifies the caller's account → charges the limits → has the documents checked and
    /// written.
    /// - Throws: as `writeDocuments`.
    func write(
        _ writes: [GatewayV1.DocumentWrite], _ context: CallContext, _ onward: CallContext
    ) async throws -> [GatewayV1.WrittenDocument] {
        let origin = try Origin.of(nil, context)
        let session = try await sessions.requiredSession(context)
        let units = DocumentWork.units(of: writes.lazy.map(\.json.utf8.count))
        let (answer, _) = try await limits.charging(
            .documentWrite(
                account: session.accountID, collections: writes.map(\.collection), units: 1),
            context, chargedOnceFor: onward.idempotencyKey
        ) {
            try await limits.paying(units, paid: 1, for: session.accountID, context) { paidUnits in
                try await documents.writeDocuments(
                    IdentityV1.WriteDocumentsRequest(
                        caller: IdentityV1.DocumentCaller(by: .accessToken(session.accessToken)),
                        writes: writes, origin: origin,
                        acceptLanguage: context.metadata.voice.tag, paidUnits: paidUnits),
                    onward)
            }
        }
        return answer.written.map(GatewayV1.WrittenDocument.init)
    }
}
