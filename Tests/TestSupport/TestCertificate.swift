/// A certificate authority and a server certificate for 127.0.0.1 and localhost, made with the openssl program.
package struct TestCertificate: Sendable {
    /// PEM files.
    package let authority: String
    package let certificate: String
    package let key: String

    /// Makes them in a directory.
    ///
    /// - Parameter host: a name that the certificate is for as well.
    package init(in directory: TemporaryDirectory, host: String? = nil) throws {
        authority = directory.path("authority.pem")
        certificate = directory.path("server.pem")
        key = directory.path("server.key")
        let authorityKey = directory.path("authority.key")
        let request = directory.path("server.csr")
        let names = try directory.write(
            "subjectAltName=IP:127.0.0.1,DNS:localhost\(host.map { ",DNS:\($0)" } ?? "")\n", to: "names.txt")
        let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        try Subprocess.run(
            ["openssl", "req", "-x509"] + newKey
                + ["-keyout", authorityKey, "-out", authority, "-days", "2", "-subj", "/CN=Test Authority"])
        try Subprocess.run(
            ["openssl", "req"] + newKey + ["-keyout", key, "-out", request, "-subj", "/CN=localhost"])
        try Subprocess.run([
            "openssl", "x509", "-req", "-in", request, "-CA", authority, "-CAkey", authorityKey, "-CAcreateserial",
            "-out", certificate, "-days", "2", "-extfile", names,
        ])
    }
}
