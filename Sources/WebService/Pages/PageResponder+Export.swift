import Contracts
import Cryptography
import HTTPTypes
import Messages
import NIOCore
import RPC
import ServiceRuntime

/// `/your-data` (G-21, G-32):
///
///     GET               the ways in (`PageResponder+Ways.swift`), also with the link of a mail, whose
///                       archive is sent after the sign-in, and the session ends; in a session, and
///                       with a link that an app made, what is known of the archive
///     POST act=order    in a session: orders an archive
///     POST act=fetch    streams it
///     POST act=sign-out ends the session
///
/// A mailed link alone gives nothing: the archive is sent in a session of its account only, which was
/// just opened, with a second proof if the account asks for one (`PageResponder+Proof.swift`). A link
/// that an app made in such a session stands for it, once.
extension PageResponder {
    // MARK: The archive of a link, after a sign-in

    /// Sends the archive in a session of its account, which then ends.
    func sendArchive(
        _ exchange: HTTPExchange, _ visit: PageVisit, _ session: PageSession,
        _ submission: PageCalls.Submission
    ) async throws {
        var visit = visit
        // The page stays open beside the download, and its form begins again.
        (visit.challenge, visit.phone) = (nil, nil)
        do {
            try await send(
                exchange, visit, submission.linkToken,
                calls.context(submission, "fetch").bearing(session.accessToken))
        } catch {
            await calls.signOut(session, submission)
            guard let failure = error as? PageCalls.ExportFailure else { throw error }
            return try await fail(exchange, .yourData, visit, failure.error, visit.link.email)
        }
        await calls.signOut(session, submission)
    }

    private func send(
        _ exchange: HTTPExchange, _ visit: PageVisit, _ linkToken: String, _ context: CallContext
    ) async throws {
        let cookie = try cookieField(exchange, .yourData, visit)
        try await calls.withExport(linkToken, context) { bytes, download in
            var head = HTTPResponse(status: .ok, headerFields: Self.fields)
            head.headerFields[.contentType] = "application/zip"
            head.headerFields[.contentDisposition] = ExportResponder.disposition
            head.headerFields[.contentLength] = "\(bytes)"
            head.headerFields.append(cookie)
            exchange.begin(head)
            var download = download
            try await download.send(on: exchange)
            exchange.end()
        }
    }

    // MARK: In a session, or by a link that an app made in one

    /// Shows what is known of the archive.
    /// - Parameter problem: Why an attempt failed; nil before one.
    func showExport(
        _ exchange: HTTPExchange, _ visit: PageVisit, after problem: ServiceError? = nil
    ) async throws {
        let archive: ExportPage.Archive
        do {
            archive = try await calls.archive(visit.linkToken, context(exchange, visit))
        } catch let error as ServiceError where visit.session != nil && error.asksForSignIn {
            return try await signInAgain(exchange, .yourData, visit, after: error)
        } catch let error as ServiceError {
            return try await fail(exchange, .yourData, visit, error, "")
        }
        let page = ExportPage(
            token: PageForm(visit, randomness: randomness).token, archive: archive,
            isSignedIn: visit.session != nil,
            problem: problem.map { self.problem($0, exchange, visit) })
        try await show(
            exchange, .yourData, .export(page), visit, status: problem.map(Self.status) ?? .ok,
            retryAfter: problem?.retryAfterSeconds)
    }

    /// Answers a form of a visit that knows its account.
    func work(
        _ exchange: HTTPExchange, _ visit: PageVisit, _ form: PageForm,
        _ parameters: FormParameters
    ) async throws {
        let submission = PageCalls.Submission(
            page: .yourData, form: form, linkToken: visit.linkToken, input: "",
            client: client(of: exchange), language: language(exchange, visit))
        let act = parameters[ExportAct.field].flatMap(ExportAct.init(rawValue:))
        guard act != .fetch else { return try await fetch(exchange, visit, submission) }
        do {
            switch act {
            case .order:
                if let session = visit.session {
                    try await calls.orderArchive(submission, in: session)
                }
                try await showExport(exchange, visit)
            case .signOut:
                if let session = visit.session { await calls.signOut(session, submission) }
                var visit = visit
                (visit.session, visit.link, visit.linkToken) = (nil, .unknown, "")
                try await showWays(exchange, .yourData, visit)
            // A form of the sign-in that was sent again, after a reload.
            case .fetch, nil: try await showExport(exchange, visit)
            }
        } catch let error as ServiceError {
            try await refuse(exchange, visit, error)
        }
    }

    private func fetch(
        _ exchange: HTTPExchange, _ visit: PageVisit, _ submission: PageCalls.Submission
    ) async throws {
        var context = calls.context(submission, "fetch")
        if let session = visit.session { context = context.bearing(session.accessToken) }
        do {
            try await send(exchange, visit, visit.linkToken, context)
        } catch let failure as PageCalls.ExportFailure {
            try await refuse(exchange, visit, failure.error)
        }
    }

    private func refuse(
        _ exchange: HTTPExchange, _ visit: PageVisit, _ error: ServiceError
    ) async throws {
        guard visit.session != nil else {
            return try await fail(exchange, .yourData, visit, error, "")
        }
        guard !error.asksForSignIn else {
            return try await signInAgain(exchange, .yourData, visit, after: error)
        }
        try await showExport(exchange, visit, after: error)
    }
}

extension PageCalls {
    /// A download that was refused before its first byte. Later errors end the connection.
    struct ExportFailure: Error {
        let error: ServiceError
    }

    /// What is known of the archive of a session's account, or of a link that stands for it.
    /// - Throws: the gateway's `ServiceError`.
    func archive(
        _ linkToken: String, _ context: CallContext
    ) async throws -> ExportPage.Archive {
        let request = GatewayV1.GetDataExportRequest(linkToken: SecretBytes(linkToken))
        do {
            guard let export = try await exports.getDataExport(request, context).dataExport else {
                return .none
            }
            return export.state == .ready
                ? .ready(until: Timestamp(milliseconds: export.expiresAtMs)) : .preparing
        } catch let error as ServiceError where error.code == .notFound {
            return .none
        }
    }

    /// Orders an archive; one that there is stays as it is.
    /// - Throws: the gateway's `ServiceError`.
    func orderArchive(_ submission: Submission, in session: PageSession) async throws {
        _ = try await exports.requestDataExport(
            .init(), context(submission, "order").bearing(session.accessToken))
    }

    /// Runs `body` with the archive of a context's session, or of a link.
    /// - Throws: `ExportFailure`; what `body` throws.
    func withExport(
        _ linkToken: String, _ context: CallContext,
        _ body: (_ bytes: Int64, ExportDownload) async throws -> Void
    ) async throws {
        let (bytes, download) = try await fetched(linkToken, context)
        try await body(bytes, download)
    }

    /// The archive. Without one, or with another account's link, the link does not work.
    private func fetched(
        _ linkToken: String, _ context: CallContext
    ) async throws -> (bytes: Int64, ExportDownload) {
        do {
            let request = GatewayV1.GetDataExportRequest(linkToken: SecretBytes(linkToken))
            guard
                let export = try await exports.getDataExport(request, context).dataExport,
                export.state == .ready
            else { throw ServiceError(.notFound) }
            let download = try await ExportDownload(
                of: GatewayV1.FetchDataExportRequest(
                    exportId: export.exportId, linkToken: linkToken),
                bytes: export.bytes, from: exports, stream(context))
            return (export.bytes, download)
        } catch let error as ServiceError {
            let isOfLink = error.code == .notFound && !linkToken.isEmpty
            throw ExportFailure(error: isOfLink ? ServiceError(.invalidLink) : error)
        }
    }
}
