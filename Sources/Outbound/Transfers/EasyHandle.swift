import Addresses
import CCurl
import Cryptography
import Glibc

/// libcurl rejected an option. Its error text may contain the option's value, so only the code is
/// stored.
struct CurlRefusal: Error {
    let code: CURLcode
}

/// Owns one of libcurl's easy handles and the data for its callbacks. Created, used and destroyed
/// on the curl thread.
final class EasyHandle {
    let raw: UnsafeMutableRawPointer
    private let upload: [UInt8]
    private var uploadedBytes = 0
    private var lists: [UnsafeMutablePointer<curl_slist>] = []
    let terms: ConnectionTerms
    let sockets: OpenSockets
    private var isAddressForbidden = false
    private var isPoolRefused = false
    private var hasNewConnection = false
    /// The receiver of an HTTP response. Nil in other protocols.
    private var receiver: HTTPResponse.Receiver?
    /// The SMTP conversation of this transfer. Nil in other protocols.
    private var conversation: SMTPConversation?

    /// Creates a handle with the options that all protocols share.
    /// - Throws: `CurlRefusal`.
    init(
        upload: [UInt8], terms: ConnectionTerms, timeout: Duration, sockets: OpenSockets
    ) throws(CurlRefusal) {
        guard let raw = curl_easy_init() else {
            throw CurlRefusal(code: CURLE_FAILED_INIT)
        }
        self.raw = raw
        self.upload = upload
        self.terms = terms
        self.sockets = sockets
        try setCommon(timeout: timeout)
    }

    deinit {
        curl_easy_cleanup(raw)
        for list in lists { freeWiped(list) }
    }

    private func setCommon(timeout: Duration) throws(CurlRefusal) {
        let milliseconds = Int(min(max(timeout / .milliseconds(1), 1), 3_600_000))
        try set(CURLOPT_TIMEOUT_MS, milliseconds)
        try set(CURLOPT_CONNECTTIMEOUT_MS, min(milliseconds, 10_000))
        // Signals affect the whole process, so libcurl must not use them.
        try set(CURLOPT_NOSIGNAL, 1)
        // A proxy in the environment (`ALL_PROXY`) must not redirect the traffic.
        try set(CURLOPT_PROXY, "")
        let owner = Unmanaged.passUnretained(self).toOpaque()
        try check(ccurl_set_read(raw, readUpload, owner))
        try check(ccurl_set_write(raw, takeDownload, owner))
        try check(ccurl_set_open_socket(raw, openSocket, owner))
        try check(
            ccurl_set_close_socket(raw, closeSocket, Unmanaged.passUnretained(sockets).toOpaque()))
        try check(ccurl_set_before_request(raw, checkBeforeRequest, owner))
    }

    // MARK: options

    func set(_ option: CURLoption, _ value: Int) throws(CurlRefusal) {
        try check(ccurl_set_long(raw, option, value))
    }

    func set(_ option: CURLoption, _ value: String) throws(CurlRefusal) {
        // A NUL would truncate the text, and the rest may have another meaning.
        guard !value.utf8.contains(0) else {
            throw CurlRefusal(code: CURLE_BAD_FUNCTION_ARGUMENT)
        }
        try check(ccurl_set_text(raw, option, value))
    }

    /// Sets a secret text. libcurl's own copy exists as long as the handle.
    func set(_ option: CURLoption, _ secret: SecretBytes) throws(CurlRefusal) {
        let code = SecretBytes.cString("", secret).withBytes { text in
            // As for other texts.
            text.firstIndex(of: 0) == text.count - 1
                ? ccurl_set_text(raw, option, text.assumingMemoryBound(to: CChar.self).baseAddress)
                : CURLE_BAD_FUNCTION_ARGUMENT
        }
        try check(code)
    }

    /// Sets a list of C strings. libcurl's copies are wiped when the handle ends, since one may be
    /// a header with a secret.
    func set(_ option: CURLoption, _ lines: [SecretBytes]) throws(CurlRefusal) {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            let longer = line.withBytes { line in
                curl_slist_append(list, line.assumingMemoryBound(to: CChar.self).baseAddress)
            }
            guard let longer else {
                freeWiped(list)
                throw CurlRefusal(code: CURLE_OUT_OF_MEMORY)
            }
            list = longer
        }
        if let list { lists.append(list) }
        try check(ccurl_set_list(raw, option, list))
    }

    private func freeWiped(_ list: UnsafeMutablePointer<curl_slist>?) {
        var next = list
        while let node = next {
            if let text = node.pointee.data { explicit_bzero(text, strlen(text)) }
            next = node.pointee.next
        }
        curl_slist_free_all(list)
    }

    /// Passes the response to `receiver`, its head included.
    func receive(into receiver: HTTPResponse.Receiver) throws(CurlRefusal) {
        self.receiver = receiver
        try check(ccurl_set_header(raw, takeLine, Unmanaged.passUnretained(self).toOpaque()))
    }

    /// Passes the server's lines to `conversation`.
    func follow(_ conversation: SMTPConversation) throws(CurlRefusal) {
        self.conversation = conversation
        try check(ccurl_set_header(raw, takeLine, Unmanaged.passUnretained(self).toOpaque()))
    }

    /// Requires a valid certificate for the host's name.
    /// - Parameter trustFile: The trusted authorities. Nil for the system's.
    func verifyPeer(trustFile: String?) throws(CurlRefusal) {
        try set(CURLOPT_SSL_VERIFYPEER, 1)
        try set(CURLOPT_SSL_VERIFYHOST, 2)
        try set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        if let trustFile { try set(CURLOPT_CAINFO, trustFile) }
    }

    /// Requests a new connection, once. Returns false when it was requested before, so that a
    /// transfer cannot be repeated without end.
    func setNewConnection() -> Bool {
        guard !hasNewConnection else { return false }
        hasNewConnection = true
        isPoolRefused = false
        conversation?.startOver()
        // Without this option there can be no second try, so its failure returns false.
        return (try? set(CURLOPT_FRESH_CONNECT, 1)) != nil
    }

    /// Announces that `upload` will be sent, and its size.
    func setUpload() throws(CurlRefusal) {
        try set(CURLOPT_UPLOAD, 1)
        try check(ccurl_set_size(raw, CURLOPT_INFILESIZE_LARGE, curl_off_t(upload.count)))
    }

    /// Declares `upload` as the body of a POST. libcurl reads it from the start again when the
    /// pooled connection that it chose turns out to be closed.
    func setPost() throws(CurlRefusal) {
        try set(CURLOPT_POST, 1)
        try check(ccurl_set_size(raw, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(upload.count)))
        try check(ccurl_set_seek(raw, seekUpload, Unmanaged.passUnretained(self).toOpaque()))
    }

    private func check(_ code: CURLcode) throws(CurlRefusal) {
        guard code == CURLE_OK else { throw CurlRefusal(code: code) }
    }

    // MARK: called by the callbacks

    /// Copies the next part of the upload into `buffer`. Returns 0 at its end.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, upload.count - uploadedBytes)
        buffer.copyBytes(from: upload[uploadedBytes..<uploadedBytes + count])
        uploadedBytes += count
        return count
    }

    /// Continues reading the upload at `position`. Returns false when that is outside of it.
    func seek(to position: Int) -> Bool {
        guard (0...upload.count).contains(position) else { return false }
        uploadedBytes = position
        return true
    }

    /// Whether a connection to `address` is allowed. Records a violation, since libcurl reports
    /// only that no socket was opened.
    func allows(_ address: InternetAddress) -> Bool {
        if terms.addresses.allows(address) { return true }
        isAddressForbidden = true
        return false
    }

    /// Whether the connection that libcurl has chosen was opened under these terms.
    func allowsConnection(peer: OpenSockets.End, localPort: UInt16) -> Bool {
        guard let descriptor = sockets.descriptor(peer: peer, localPort: localPort),
            sockets.terms(of: descriptor) == terms
        else {
            isPoolRefused = true
            return false
        }
        return conversation?.begin(on: descriptor, sockets) ?? true
    }

    /// Receives a line of an HTTP response's head or of an SMTP server's replies.
    /// - Returns: False to abort the transfer.
    func take(line: UnsafeRawBufferPointer) -> Bool {
        conversation?.take(line)
        return receiver?.take(headLine: line) ?? true
    }

    /// Receives the next part of the download.
    /// - Returns: False to abort the transfer.
    func take(content part: UnsafeRawBufferPointer) -> Bool {
        receiver?.take(content: part) ?? true
    }

    /// The report on the transfer, which ended with `code`.
    func report(_ code: CURLcode) -> TransferReport {
        TransferReport(
            code: code.rawValue, answer: number(CURLINFO_RESPONSE_CODE),
            uploadedBytes: uploadedBytes, isAddressForbidden: isAddressForbidden,
            isPoolRefused: isPoolRefused,
            connectionsOpened: number(CURLINFO_NUM_CONNECTS),
            mailAnswer: conversation?.answer,
            isMailUnsupported: conversation?.isUnsupported ?? false)
    }

    private func number(_ info: CURLINFO) -> Int {
        var value = 0
        return ccurl_get_long(raw, info, &value) == CURLE_OK ? value : 0
    }

    /// Shuts down the connection that a failed transfer leaves in libcurl's pool. Otherwise a late
    /// reply to this transfer would be read as the reply to the next transfer's first command. Not
    /// needed in HTTP: libcurl closes the connection itself, or it carries numbered streams.
    func cutConnection() {
        guard receiver == nil else { return }
        var descriptor: curl_socket_t = -1
        if ccurl_get_socket(raw, CURLINFO_ACTIVESOCKET, &descriptor) == CURLE_OK {
            sockets.cut(descriptor)
        }
    }
}
