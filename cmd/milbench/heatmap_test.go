package main

import (
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestHeatmap(t *testing.T) {
	scores := write(t, "scores.csv", `bag,instance,x,y,weight,weight_1
a,0,0,0,0.1,0.1
a,1,256,0,0.5,0.5
b,0,0,256,1,1
a,2,256,256,0.1,0.1
a,3,512,0,0.3,0.3
c,0,,,1,1
`)
	dir := newFolder(t)
	_, said := succeed(t, "plot", scores, "--figure", "heatmap", "--extremes", "2", "--out", dir)
	if !strings.Contains(said, "drawn: 2 heat maps") || !strings.Contains(said, "nothing says how large a tile is; a guess from the distances of tiles is 256 in 2 of 2 bags; --tile says it") {
		t.Errorf("said %q", said)
	}
	list, err := os.ReadFile(filepath.Join(dir, "extremes.csv"))
	want := `bag,end,place,instance,x,y,weight,rank
a,top,1,1,256,0,0.5,1
a,top,2,3,512,0,0.3,0.6666667
a,bottom,1,0,0,0,0.1,0.16666667
a,bottom,2,2,256,256,0.1,0.16666667
b,top,1,0,0,256,1,0
b,bottom,1,0,0,256,1,0
`
	if err != nil || string(list) != want {
		t.Errorf("%s, %v; want %s", list, err, want)
	}
	text := contents(t, dir, "a.geojson")
	var collection struct {
		Type     string
		Features []struct {
			Geometry   struct{ Coordinates [][5][2]float64 }
			Properties struct{ Measurements map[string]float64 }
		}
	}
	must(t, json.Unmarshal([]byte(text), &collection))
	if collection.Type != "FeatureCollection" || len(collection.Features) != 4 {
		t.Fatalf("%s of %d", collection.Type, len(collection.Features))
	}
	last := collection.Features[3] // in order of rank
	if last.Geometry.Coordinates[0] != [5][2]float64{{256, 0}, {512, 0}, {512, 256}, {256, 256}, {256, 0}} || last.Properties.Measurements["weight"] != 0.5 || last.Properties.Measurements["rank"] != 1 {
		t.Errorf("%+v", last)
	}
	f, err := os.Open(filepath.Join(dir, "a.png"))
	must(t, err)
	if _, err := png.Decode(f); err != nil {
		t.Error(err)
	}
	f.Close()

	sized := write(t, "sized.csv", "bag,instance,x,y,tile,side,weight\na,0,0,0,512,8,0.1\na,1,256,0,512,8,0.5\nb,0,0,0,,16,1\n")
	for want, args := range map[string][]string{
		"the side of a tile is 512 in 1 of 2 bags\nmilbench: note: nothing says how large a tile is; a guess from the distances of tiles is 512 in 1 of 2 bags": nil,
		"the side of a tile is 512 in 1 of 2 bags, 1024 in 1 of 2 bags":                                                                                         {"--tile", "b=1024"},
		"the side of a tile is 3 in 1 of 2 bags, 4.5 in 1 of 2 bags":                                                                                            {"--tile", "4.5,a=3"},
		"the side of a tile is 8 in 1 of 2 bags, 16 in 1 of 2 bags":                                                                                             {"--tile", "side"},
	} {
		prints(t, want, append([]string{"plot", sized, "--figure", "heatmap", "--out", dir + "-sized"}, args...)...)
	}

	byClass := write(t, "classes.csv", "bag,instance,x,y,weight,score_high\na,0,0,0,0.1,2\na,1,256,0,0.5,-1\n")
	succeed(t, "plot", byClass, "--figure", "heatmap", "--column", "score_high", "--extremes", "1", "--out", dir+"-high")
	if list, err := os.ReadFile(filepath.Join(dir+"-high", "extremes.csv")); err != nil || string(list) != "bag,end,place,instance,x,y,score_high,rank\na,top,1,0,0,0,2,1\na,bottom,1,1,256,0,-1,0\n" {
		t.Errorf("%s, %v", list, err)
	}

	thumbnails := t.TempDir()
	for _, name := range []string{"a", "b"} {
		out, err := os.Create(filepath.Join(thumbnails, name+".png"))
		must(t, err)
		must(t, png.Encode(out, image.NewGray(image.Rect(0, 0, 12, 10))))
		out.Close()
	}
	succeed(t, "plot", scores, "--figure", "heatmap", "--thumbnails", thumbnails, "--scale", "64", "--out", dir)

	header := []byte("IHDR\x00\x00\xea\x60\x00\x00\xea\x60\x08\x00\x00\x00\x00") // 60,000 x 60,000
	huge := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), header...)
	hostile := filepath.Dir(write(t, "a.png", string(binary.BigEndian.AppendUint32(huge, crc32.ChecksumIEEE(header)))))

	for want, args := range map[string][]string{
		"--thumbnails and --scale go together":           {scores, "--scale", "2"},
		"bag a: drawing a map of tiles: a thumbnail of":  {scores, "--thumbnails", thumbnails, "--scale", "2"},
		"60000 x 60000 pixels; give a thumbnail of at":   {scores, "--thumbnails", hostile, "--scale", "2"},
		"no a.png and no a.jpg":                          {scores, "--thumbnails", dir + "x", "--scale", "2"},
		"no negative number":                             {scores, "--extremes", "-1"},
		"--tile -1: give a number above 0, BAG=NUMBER":   {scores, "--tile", "-1"},
		"--tile x: " + scores + " has no such bag":       {scores, "--tile", "x=512"},
		"--tile size: " + scores + " has no such column": {scores, "--tile", "size"},
		"line 3, column tile: \"256\"; one number":       {write(t, "two.csv", "bag,instance,x,y,tile,weight\na,0,0,0,512,1\na,1,0,0,256,1\n")},
		"bag a: drawing a map of tiles: tiles of size 1 that reach over 10001 of them; 4096 at most can be told; 1 more not drawn": {write(t, "far.csv", "bag,instance,x,y,weight\na,0,0,0,1\na,1,10000,0,1\nb,0,0,0,1\nb,1,0,10000,1\nc,0,0,0,1\n"), "--tile", "1"},
		"--column score_low: " + byClass + " has no such column; it has bag, instance, x, y, weight, score_high":                   {byClass, "--column", "score_low"},
		"no column x; give it the output of milbench predict --instances":                                                          {write(t, "plain.csv", "bag,instance,weight\na,0,1\n")},
		`line 2, column y: "q"`:       {write(t, "word.csv", "bag,instance,x,y,score\na,0,1,q,1\n")},
		`line 2, column score: "NaN"`: {write(t, "nan.csv", "bag,instance,x,y,score\na,0,1,1,NaN\n")},
		`line 2: bag "../a"`:          {write(t, "outside.csv", "bag,instance,x,y,score\n../a,0,1,1,1\n")},
		"no instances with places":    {write(t, "blank.csv", "bag,instance,x,y,score\na,0,,,1\n")},
	} {
		refuse(t, exitUse, want, append([]string{"plot", "--figure", "heatmap", "--out", newFolder(t)}, args...)...)
	}
}
